"""Throughput of generated kernels on a GPU, on a machine that has Python, NumPy, the driver and NVRTC but no build of
this project: `python3 bench/ensemble/gpu/gpu.py`. kernels.json.xz holds what `bench_trajectories source` prints for
Andrews' mechanism and the pendulum with dopri5 and dop853. With the project built there, `bench_trajectories cuda` does
the same and compares with the engine."""

import ctypes as C, sys, time, numpy as np
def lib(*n):
    for k in n:
        try: return C.CDLL(k)
        except OSError: pass
cu=lib('libcuda.so.1'); rt=lib('libnvrtc.so','libnvrtc.so.13','/usr/local/cuda/lib64/libnvrtc.so')
def ck(r,w):
    if r: print('FAILED',w,r); sys.exit(1)
ck(cu.cuInit(0),'init'); d=C.c_int(); ck(cu.cuDeviceGet(C.byref(d),0),'get'); ctx=C.c_void_p()
ck(cu.cuDevicePrimaryCtxRetain(C.byref(ctx),d),'retain'); ck(cu.cuCtxSetCurrent(ctx),'set')
def build(src):
    p=C.c_void_p(); t=time.time()
    ck(rt.nvrtcCreateProgram(C.byref(p),src.encode(),b't.cu',0,None,None),'create')
    o=[b'--gpu-architecture=sm_90',b'--std=c++17']; r=rt.nvrtcCompileProgram(p,len(o),(C.c_char_p*len(o))(*o))
    n=C.c_size_t()
    if r:
        rt.nvrtcGetProgramLogSize(p,C.byref(n)); b=C.create_string_buffer(n.value); rt.nvrtcGetProgramLog(p,b); print(b.value.decode()[:3000]); sys.exit(1)
    rt.nvrtcGetCUBINSize(p,C.byref(n)); b=C.create_string_buffer(n.value); rt.nvrtcGetCUBIN(p,b)
    m=C.c_void_p(); f=C.c_void_p(); ck(cu.cuModuleLoadData(C.byref(m),b),'load'); ck(cu.cuModuleGetFunction(C.byref(f),m,b'ensemble_kernel'),'fn')
    a=C.c_int(); i=[]
    for k in (4,3): cu.cuFuncGetAttribute(C.byref(a),k,f); i.append(a.value)
    return f,time.time()-t,i
class S(C.Structure): _fields_=[(n,C.c_double) for n in 'relative absolute start end longest most exponent beta minf maxf order'.split()]+[('coarse',C.c_int),('largest',C.c_int)]
class A(C.Structure): _fields_=[('runs',C.c_longlong),('common',C.c_int)]+[(n,C.c_void_p) for n in 'states given column columns'.split()]+[('tc',C.c_int)]+[(n,C.c_void_p) for n in 'times values drift t_end counters'.split()]
def up(x):
    x=np.ascontiguousarray(x); p=C.c_ulonglong(); ck(cu.cuMemAlloc_v2(C.byref(p),C.c_size_t(max(1,x.nbytes))),'alloc'); ck(cu.cuMemcpyHtoD_v2(p,x.ctypes.data_as(C.c_void_p),C.c_size_t(x.nbytes)),'up'); return p.value
def down(p,n,t):
    x=np.empty(n,t); ck(cu.cuMemcpyDtoH_v2(x.ctypes.data_as(C.c_void_p),C.c_ulonglong(p),C.c_size_t(x.nbytes)),'down'); return x
def run(src,rtol,end,par,N=1000000,block=128,ref=None):
    f,ct,i=build(src); five='kStages 6\n' in src
    st=np.array([float(v) for v in src.split('\n')[0][2:].split()])
    o=5. if five else 8.
    s=S(.35*rtol,.35*min(rtol,1e-9),0,end,end,1e5,-(1/o-.03),.04,.2 if five else .333,10 if five else 6,o,0 if five else 1,0)
    par=np.linspace(par*.9,par*1.1,N,endpoint=False)
    P=[up(st),up(np.zeros(1)),up(np.zeros(1,np.int32)),up(par),up(np.array([end]))]
    O=[up(np.zeros(N)) for _ in range(3)]; c=up(np.zeros(4*N,np.int32))
    a=A(N,1,P[0],P[1],P[2],P[3],1,P[4],O[0],O[1],O[2],c); args=(C.c_void_p*2)(C.addressof(s),C.addressof(a)); best=1e9
    for k in range(3):
        t=time.time(); ck(cu.cuLaunchKernel(f,(N+block-1)//block,1,1,block,1,1,0,None,args,None),'launch'); ck(cu.cuCtxSynchronize(),'sync'); best=min(best,time.time()-t)
    v=down(O[0],N,float); dr=down(O[1],N,float); cn=down(c,4*N,np.int32).reshape(4,N)
    e='' if ref is None else ' err %.2g'%abs(v[::N//len(ref)]-ref).max()
    print('%8.2f M/s  compile %.2f s  regs %d local %d  steps %.1f rej %.1f bad %d drift %.1g%s'%(N/best/1e6,ct,i[0],i[1],cn[1].mean(),cn[2].mean(),(cn[0]!=0).sum(),dr.max(),e)); sys.stdout.flush()
    for p in P+O+[c]: cu.cuMemFree_v2(C.c_ulonglong(p))
    return v


def sources():
    import json, lzma, os
    return json.loads(lzma.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kernels.json.xz')).read())


if __name__ == '__main__':
    K = sources()
    for rtol in (1e-5, 1e-6, 1e-7):
        for k, end, par in (('a_dopri5', .03, .033), ('a_dop853', .03, .033), ('p_dopri5', 10, 9.81), ('p_dop853', 10, 9.81)):
            print(k, rtol, end=' ')
            run(K[k], rtol, end, par)
