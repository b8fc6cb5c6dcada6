"""Small MJCF models, each with one feature: CASES is a dictionary of texts by name.

Names in EXPECTED are those that Daedalus refuses, or simulates with a warning, and a part of what it says. All others
move as MuJoCo has them (mjcf_features_test.py).
"""

ARM = """<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" {shoulder}/>
<geom name="g1" type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" {geom}/>
<site name="s1" pos="0.2 0.1 0" euler="10 20 30"/>
<body name="lower" pos="0.4 0 0" {lower}><joint name="elbow" axis="0 1 0.3" {elbow}/>
<geom name="g2" type="box" size="0.15 0.03 0.02" pos="0.15 0 0.01" {geom2}/><site name="s2" pos="0.3 0 0"/>{inner}</body></body>"""


class Blank(dict):
    def __missing__(self, key):
        return ""


def arm(rest="", pre="", world="", **attributes):
    """Two links; attributes of their elements by the names in ARM."""
    inside = world + ARM.format_map(Blank(attributes))
    return f"<mujoco>{pre}<worldbody>{inside}</worldbody>{rest}</mujoco>"


CASES = {}


def case(name, xml):
    assert name not in CASES, name
    CASES[name] = xml


def act(text):
    return f"<actuator>{text}</actuator>"


# --- compiler
case("plain", arm())
case("two compilers angle",
     arm(pre='<compiler angle="radian"/><compiler eulerseq="zyx"/>', lower='euler="0.1 0.2 0.3"'))
case("two compilers angle back",
     arm(pre='<compiler angle="radian"/><compiler angle="degree"/>', lower='euler="10 20 30"'))
case("compiler at end", arm(rest='<compiler angle="radian"/>', lower='euler="0.1 0.2 0.3"'))
case("boundmass geoms", arm(pre='<compiler boundmass="3"/>'))
case("boundmass welded",
     arm(pre='<compiler boundmass="3"/>', inner='<body name="w" pos="0.1 0 0"><geom size="0.02" pos="0 0.1 0"/>'
         '</body>'))
case("boundmass empty welded", arm(pre='<compiler boundmass="0.3"/>', inner='<body name="w" pos="0.1 0.2 0"/>'))
case("boundmass empty moving",
     arm(pre='<compiler boundmass="0.3" boundinertia="0.01"/>',
         inner='<body name="w" pos="0.1 0.2 0"><joint name="wrist" axis="1 0 0"/></body>'))
case("boundinertia geoms", arm(pre='<compiler boundinertia="0.03"/>', geom2='euler="20 30 40"'))
case("boundinertia welded",
     arm(pre='<compiler boundinertia="0.03"/>',
         inner='<body name="w" pos="0.1 0 0"><geom size="0.02" pos="0 0.1 0"/></body>'))
case("boundinertia inertial",
     arm(pre='<compiler boundinertia="0.03"/>',
         inner='<inertial pos="0.1 0 0" mass="1" diaginertia="0.001 0.01 0.01"/>'))
case("boundinertia fullinertia",
     arm(pre='<compiler boundinertia="0.03"/>',
         inner='<inertial pos="0.1 0 0" mass="1" fullinertia="0.01 0.02 0.021 0.001 0.002 0.003"/>'))
case("boundmass inertial",
     arm(pre='<compiler boundmass="3"/>', inner='<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'))
case("balanceinertia inertial",
     arm(pre='<compiler balanceinertia="true"/>',
         inner='<inertial pos="0.1 0 0" mass="1" diaginertia="0.001 0.01 0.02"/>'))
case("balanceinertia full",
     arm(pre='<compiler balanceinertia="true"/>',
         inner='<inertial pos="0.1 0 0" mass="1" fullinertia="0.001 0.01 0.02 0.001 0 0"/>'))
case("unbalanced", arm(inner='<inertial pos="0.1 0 0" mass="1" diaginertia="0.001 0.01 0.02"/>'))
case("settotalmass",
     arm(pre='<compiler settotalmass="7"/>', world='<body name="still" pos="1 1 1"><geom size="0.1"/></body>'))
case("settotalmass bound", arm(pre='<compiler settotalmass="7" boundmass="3"/>'))
case("settotalmass welded to world geoms",
     arm(pre='<compiler settotalmass="7"/>', world='<geom size="0.1" pos="1 1 1"/>'))
case("settotalmass gravcomp", arm(pre='<compiler settotalmass="7"/>', lower='gravcomp="0.5"'))
case("settotalmass fluid", arm(pre='<compiler settotalmass="7"/><option density="100" viscosity="1"/>'))
case("settotalmass springdamper", arm(pre='<compiler settotalmass="7"/>', elbow='springdamper="0.2 0.5"'))
case("settotalmass dampratio",
     arm(pre='<compiler settotalmass="7"/>', rest=act('<position joint="elbow" kp="30" dampratio="1"/>')))
case("inertiafromgeom true",
     arm(pre='<compiler inertiafromgeom="true"/>', inner='<inertial pos="0.1 0 0" mass="10" diaginertia="1 1 1"/>'))
case("inertiafromgeom true then auto",
     arm(pre='<compiler inertiafromgeom="true"/><compiler inertiafromgeom="auto"/>',
         inner='<inertial pos="0.1 0 0" mass="10" diaginertia="1 1 1"/>'))
case("inertiagrouprange",
     arm(pre='<compiler inertiagrouprange="1 1"/>', geom='group="1"', geom2='group="1"',
         inner='<geom size="0.3" group="2"/>'))
case("group with inertial none", arm(pre='<compiler inertiagrouprange="0 1"/>', inner='<geom size="0.3" group="2"/>'))
case("autolimits false", arm(pre='<compiler autolimits="false"/>', elbow='range="-1 1" limited="false"'))
case("eulerseq XYZ", arm(pre='<compiler eulerseq="XYZ"/>', lower='euler="10 20 30"'))
case("eulerseq zyx", arm(pre='<compiler eulerseq="zyx"/>', lower='euler="10 20 30"'))
case("eulerseq mixed", arm(pre='<compiler eulerseq="xYz"/>', lower='euler="10 20 30"'))
case("axisangle", arm(lower='axisangle="1 2 3 40"'))
case("xyaxes", arm(lower='xyaxes="1 2 3 0 1 1"'))
case("zaxis", arm(lower='zaxis="1 2 3"'))
case("zaxis down", arm(lower='zaxis="0 0 -1"'))
case("quat unnormalised", arm(lower='quat="1 2 3 4"'))
case("alignfree",
     '<mujoco><compiler alignfree="true"/><worldbody><body name="b" pos="0 0 1"><freejoint name="f"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0.1 0"/></body></worldbody></mujoco>')
case("fusestatic",
     arm(pre='<compiler fusestatic="true"/>',
         inner='<body name="w" pos="0.1 0 0"><geom size="0.02" pos="0 0.1 0"/></body>'))
case("discardvisual", arm(pre='<compiler discardvisual="true"/>', geom2='contype="0" conaffinity="0"'))
# --- defaults
case("default joint", arm(pre='<default><joint damping="0.3" stiffness="2" armature="0.1"/></default>'))
case("two defaults", arm(pre='<default><joint damping="0.3"/></default><default><joint stiffness="3"/></default>'))
case("two defaults override",
     arm(pre='<default><joint damping="0.3" stiffness="1"/></default><default><joint stiffness="3"/></default>'))
case("two defaults main class",
     arm(pre='<default class="main"><joint damping="0.3"/></default><default class="main">'
         '<joint stiffness="3"/></default>'))
case("default child then parent order",
     arm(pre='<default><default class="b"><joint stiffness="4"/></default><joint damping="0.5"/></default>',
         elbow='class="b"'))
case("default child before second default",
     arm(pre='<default><default class="b"><joint stiffness="4"/></default></default><default>'
         '<joint damping="0.5"/></default>', elbow='class="b"'))
case("default at end", arm(rest='<default><joint damping="0.5" stiffness="1"/></default>'))
case("childclass body",
     arm(pre='<default><default class="b"><joint stiffness="4"/><geom density="500"/></default></default>',
         lower='childclass="b"'))
case("childclass frame",
     arm(pre='<default><default class="b"><joint stiffness="4"/><geom density="500"/></default></default>',
         inner='<frame childclass="b" pos="0.1 0 0"><geom size="0.05"/><body name="w" pos="0.1 0 0">'
         '<joint name="wrist" axis="1 1 0"/><geom size="0.1" pos="0.1 0 0"/></body></frame>'))
case("childclass frame joint",
     '<mujoco><default><default class="b"><joint stiffness="4"/></default></default><worldbody><body name="a">'
         '<frame childclass="b" euler="0 0 30" pos="0.1 0 0"><joint name="j" axis="0 1 0"/></frame>'
         '<geom size="0.1" pos="0.4 0 0"/></body></worldbody></mujoco>')
case("frame nested childclass",
     arm(pre='<default><default class="b"><geom density="500"/></default><default class="c">'
         '<geom density="300"/></default></default>', inner='<frame childclass="b" pos="0.1 0 0">'
         '<frame childclass="c" euler="10 0 0"><geom size="0.1"/></frame><geom size="0.1" pos="0 0.1 0"/></frame>'))
case("class over childclass",
     arm(pre='<default><default class="b"><joint stiffness="4"/></default><default class="c">'
         '<joint stiffness="1" damping="1"/></default></default>', lower='childclass="b"', elbow='class="c"'))
case("default geom type", arm(pre='<default><geom type="sphere" size="0.1 0.1 0.1" density="700"/></default>'))
case("default geom mass", arm(pre='<default><geom mass="2"/></default>'))
case("default geom mass density", arm(pre='<default><geom mass="2"/></default>', geom='density="100"'))
case("default fromto geom",
     '<mujoco><default><geom fromto="0 0 0 0.5 0 0" type="capsule" size="0.05"/></default><worldbody>'
         '<body name="a"><joint name="j" axis="0 1 0"/><geom/></body></worldbody></mujoco>')
case("default quat geom vs euler", arm(pre='<default><geom quat="1 0.2 0.3 0"/></default>', geom2='euler="10 20 30"'))
case("default euler geom vs quat", arm(pre='<default><geom euler="10 20 30"/></default>', geom2='quat="1 0.2 0.3 0"'))
case("default zaxis geom vs axisangle",
     arm(pre='<default><geom zaxis="1 1 1"/></default>', geom2='axisangle="1 0 0 40"'))
case("default axis joint",
     arm(pre='<default><joint axis="1 0 0" pos="0.05 0 0"/></default>',
         inner='<body name="w" pos="0.3 0 0"><joint name="wrist"/><geom size="0.1" pos="0 0.2 0"/></body>'))
case("default joint type", arm(pre='<default><joint type="slide"/></default>'))
case("default class nested order of includes",
     arm(pre='<default><default class="a"><default class="b"><joint damping="1"/></default>'
         '<joint stiffness="2"/></default></default>', elbow='class="b"'))
# --- options
case("gravity vector", arm(pre='<option gravity="1 2 -3"/>'))
case("two options", arm(pre='<option gravity="1 2 -3"/><option timestep="0.001"/>'))
for fl in ["gravity","spring","damper","constraint","equality","actuation","clampctrl","limit","frictionloss","eulerdamp","refsafe","contact","sensor"]:
    case("flag "+fl, arm(pre=f'<option><flag {fl}="disable"/></option>',
         elbow='stiffness="3" damping="0.3" armature="0.05"', lower='gravcomp="0.3"',
      rest=act('<motor name="m" joint="elbow" ctrlrange="-1 1" damping="0.2" armature="0.1"/>')+'<keyframe>'
         '<key name="k" ctrl="5"/></keyframe>'+'<equality>'
         '<joint joint1="elbow" joint2="shoulder" polycoef="0 0.5"/></equality>'*(fl in("equality","constraint"))))
case("flag spring damper both",
     arm(pre='<option density="100" viscosity="3"><flag spring="disable" damper="disable"/></option>',
         elbow='stiffness="3" damping="0.3"', lower='gravcomp="0.3"'))
case("flag spring only with gravcomp",
     arm(pre='<option density="100" viscosity="3"><flag spring="disable"/></option>',
         elbow='stiffness="3" damping="0.3"', lower='gravcomp="0.3"'))
case("flag tendon spring",
     arm(pre='<option><flag spring="disable"/></option>',
         rest='<tendon><fixed name="t" stiffness="5" damping="0.4"><joint joint="elbow" coef="2"/></fixed></tendon>'))
case("flag two options", arm(pre='<option><flag gravity="disable"/></option><option><flag gravity="enable"/></option>'))
case("actuatorgroupdisable",
     arm(pre='<option actuatorgroupdisable="1 3"/>',
         rest=act('<motor name="a" joint="elbow" group="1"/>'
         '<motor name="b" joint="shoulder" group="2"/>')+'<keyframe><key name="k" ctrl="1 3"/></keyframe>'))
case("fluid density", arm(pre='<option density="1000"/>'))
case("fluid viscosity", arm(pre='<option viscosity="10"/>'))
case("fluid wind", arm(pre='<option density="10" wind="3 2 1"/>'))
case("fluid two geoms",
     arm(pre='<option density="1000" viscosity="5"/>',
         inner='<geom type="box" size="0.1 0.05 0.02" pos="0.1 0.1 0" euler="20 30 40"/>'))
case("fluid welded",
     arm(pre='<option density="1000" viscosity="5"/>',
         inner='<body pos="0.1 0.1 0"><geom type="box" size="0.1 0.05 0.02"  euler="20 30 40"/></body>'))
case("fluid inertial",
     arm(pre='<option density="1000" viscosity="5"/>',
         inner='<inertial pos="0.1 0 0" mass="10" diaginertia="1 1.1 1.2" euler="10 20 30"/>'))
# --- joints
case("ref", arm(elbow='ref="30" stiffness="3"'))
case("ref springref", arm(elbow='ref="30" springref="10" stiffness="3"'))
case("springref only", arm(elbow='springref="10" stiffness="3"'))
case("slide ref springref", arm(elbow='type="slide" ref="0.3" springref="0.1" stiffness="30"'))
case("stiffness poly", arm(elbow='stiffness="3 2 5"'))
case("damping poly", arm(elbow='damping="0.3 0.2 0.5"'))
case("stiffness negative", arm(elbow='stiffness="-3"'))
case("springyield", arm(elbow='stiffness="30" springyield="1"'))
case("armature", arm(elbow='armature="0.2"'))
case("armature slide", arm(elbow='type="slide" armature="0.2"'))
case("springdamper", arm(elbow='springdamper="0.3 0.7"'))
case("springdamper with armature", arm(elbow='springdamper="0.3 0.7" armature="0.1"'))
case("springdamper shoulder", arm(shoulder='springdamper="0.3 0.7"'))
case("springdamper slide", arm(shoulder='type="slide" springdamper="0.3 0.7"'))
case("springdamper over stiffness", arm(elbow='springdamper="0.3 0.7" stiffness="9" damping="9"'))
case("springdamper ball", arm(elbow='type="ball" springdamper="0.3 0.7"'))
case("ball stiffness", arm(elbow='type="ball" stiffness="3" damping="0.2"'))
case("ball armature", arm(elbow='type="ball" armature="0.1"'))
case("ball frictionloss", arm(elbow='type="ball" frictionloss="0.1"'))
case("ball range", arm(elbow='type="ball" range="0 30"'))
case("ball pos", arm(elbow='type="ball" pos="0.1 0 0"'))
case("joint pos", arm(elbow='pos="0.1 0.05 0.02"'))
case("joint axis unnormalised", arm(shoulder='pos="0 0 0.1"'))
case("two joints",
     '<mujoco><worldbody><body name="a"><joint name="x" type="slide" axis="1 0 0" stiffness="20"/>'
         '<joint name="y" axis="0 1 0" pos="0 0 0.1"/><joint name="z" axis="1 0 1" pos="0 0.1 0"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("slide ball",
     '<mujoco><worldbody><body name="a"><joint name="x" type="slide" axis="1 0 0" stiffness="20"/>'
         '<joint name="y" type="ball" pos="0 0 0.1"/><geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body>'
         '</worldbody></mujoco>')
case("three slides",
     '<mujoco><worldbody><body name="a"><joint name="x" type="slide" axis="1 0 0" damping="2"/>'
         '<joint name="y" type="slide" axis="0 1 0"/><joint name="z" type="slide" axis="0 0 1" armature="1"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("free damping",
     '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" type="free" damping="2"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("free default damping",
     '<mujoco><default><joint damping="2" armature="1" stiffness="3"/></default><worldbody>'
         '<body name="a" pos="0 0 1"><freejoint name="x"/><geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/>'
         '</body></worldbody></mujoco>')
case("free armature",
     '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" type="free" armature="2"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("free stiffness",
     '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" type="free" stiffness="20"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("free frictionloss",
     '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" type="free" frictionloss="2"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body></worldbody></mujoco>')
case("free with child",
     '<mujoco><worldbody><body name="a" pos="0 0 1" euler="10 20 30"><freejoint name="x"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/><body name="b" pos="0.3 0 0">'
         '<joint name="j" stiffness="4" springref="30"/><geom size="0.1" pos="0.3 0.3 0"/></body></body>'
         '</worldbody></mujoco>')
case("actuatorfrcrange",
     arm(elbow='actuatorfrcrange="-0.5 0.5"',
         rest=act('<motor name="m" joint="elbow"/><motor name="n" joint="elbow" gear="2"/>')+'<keyframe>'
         '<key name="k" ctrl="1 1"/></keyframe>'))
case("actuatorfrclimited false",
     arm(elbow='actuatorfrcrange="-0.5 0.5" actuatorfrclimited="false"',
         rest=act('<motor name="m" joint="elbow"/>')+'<keyframe><key name="k" ctrl="1"/></keyframe>'))
case("actuatorfrcrange tendon actuator",
     arm(elbow='actuatorfrcrange="-0.5 0.5"',
         rest='<tendon><fixed name="t"><joint joint="elbow" coef="2"/></fixed>'
         '</tendon>'+act('<motor name="m" tendon="t"/>')+'<keyframe><key name="k" ctrl="1"/></keyframe>'))
case("actuatorfrcrange site actuator",
     arm(elbow='actuatorfrcrange="-0.5 0.5"',
         rest=act('<motor name="m" site="s2" gear="0 0 5 0 0 0"/>')+'<keyframe><key name="k" ctrl="1"/></keyframe>'))
case("actuatorfrcrange damping",
     arm(elbow='actuatorfrcrange="-0.5 0.5"',
         rest=act('<motor name="m" joint="elbow" damping="1" armature="0.1" gear="2"/>')+'<keyframe>'
         '<key name="k" ctrl="1"/></keyframe>'))
case("actuatorgravcomp", arm(elbow='actuatorgravcomp="true"', lower='gravcomp="0.5"'))
case("actuatorgravcomp limited", arm(elbow='actuatorgravcomp="true" actuatorfrcrange="-0.5 0.5"', lower='gravcomp="1"'))
case("gravcomp", arm(lower='gravcomp="1"'))
case("gravcomp welded",
     arm(lower='gravcomp="1"', inner='<body gravcomp="0" name="w" pos="0.1 0.2 0"><geom size="0.1"/></body>'))
case("gravcomp inherited",
     arm(lower='gravcomp="1"', inner='<body name="w" pos="0.1 0.2 0"><joint name="wrist"/>'
         '<geom size="0.1" pos="0.1 0 0"/></body>'))
case("gravcomp inertiagroup", arm(lower='gravcomp="1"', geom2='mass="0"', inner='<geom size="0.1" pos="0.2 0 0"/>'))
case("gravcomp boundmass", arm(pre='<compiler boundmass="3"/>', lower='gravcomp="1"'))
# --- geoms
for t,s in [("sphere","0.1"),("capsule","0.1 0.2"),("cylinder","0.1 0.2"),("ellipsoid","0.1 0.2 0.3"),("box","0.1 0.2 0.3")]:
    case("geom "+t, arm(inner=f'<geom type="{t}" size="{s}" pos="0.2 0.1 0" euler="10 20 30"/>'))
    case("shell "+t, arm(inner=f'<geom type="{t}" size="{s}" pos="0.2 0.1 0" euler="10 20 30" shellinertia="true" density="50"/>'))
    case("shell mass "+t, arm(inner=f'<geom type="{t}" size="{s}" pos="0.2 0.1 0" euler="10 20 30" shellinertia="true" mass="3"/>'))
    if t!="sphere":
        case("fromto "+t, arm(inner=f'<geom type="{t}" size="0.03 0.05" fromto="0.1 0.2 0.3 0.4 0.2 0.1"/>'))
        case("fromto one size "+t, arm(inner=f'<geom type="{t}" size="0.03" fromto="0.1 0.2 0.3 0.4 0.2 0.1"/>'))
case("geom mass zero", arm(inner='<geom size="0.1" mass="0" pos="1 0 0"/>'))
case("geom density zero", arm(inner='<geom size="0.1" density="0" pos="1 0 0"/>'))
case("geom mass and density", arm(inner='<geom size="0.1" density="7" mass="3" pos="1 0 0"/>'))
case("geom default size", arm(pre='<default><geom size="0.1"/></default>', inner='<geom pos="0.2 0 0"/>'))
TETRAHEDRON = 'vertex="0 0 0  0.3 0 0  0 0.4 0  0 0 0.5" face="0 2 1  0 1 3  0 3 2  1 2 3"'
for m in ["legacy","exact","convex","shell"]:
    case("mesh "+m, arm(pre=f'<asset><mesh name="m" {TETRAHEDRON} inertia="{m}"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0" euler="10 20 30"/>'))
    case("mesh nonconvex " + m,
         arm(pre='<asset><mesh name="m" vertex="0 0 0 0.3 0 0 0 0.4 0 0.05 0.05 0.1 0 0 0.5" '
             f'face="0 2 1  0 1 3  0 3 2  1 4 3 1 2 4 2 3 4" inertia="{m}"/></asset>',
             inner='<geom type="mesh" mesh="m" pos="0.1 0 0" euler="10 20 30"/>'))
case("mesh default",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0" euler="10 20 30"/>'))
case("mesh no faces",
     arm(pre='<asset><mesh name="m" vertex="0 0 0  0.3 0 0  0 0.4 0  0 0 0.5 0.1 0.1 0.1"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0" euler="10 20 30"/>'))
case("mesh scale",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON} scale="1 2 0.5"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh scale negative",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON} scale="1 -2 0.5"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh scale default",
     arm(pre=f'<default><mesh scale="1 2 0.5"/></default><asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh default inertia",
     arm(pre=f'<default><mesh inertia="shell"/></default><asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh default class",
     arm(pre=f'<default><default class="q"><mesh scale="2 2 2"/></default></default><asset>'
         f'<mesh class="q" name="m" {TETRAHEDRON}/></asset>', inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh refpos refquat",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON} refpos="0.1 0.2 0.3" refquat="1 1 0 0.5" scale="1 2 1"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh mass",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0" mass="3"/>'))
case("mesh site",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0" mass="3"/><site name="ms" type="mesh" mesh="m"/>'))
for t in ["sphere","capsule","cylinder","ellipsoid","box"]:
    case("mesh fit "+t, arm(pre=f'<asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner=f'<geom type="{t}" mesh="m" pos="0.1 0 0" euler="10 20 30"/>'))
    case("mesh fit aabb "+t, arm(pre=f'<compiler fitaabb="true"/><asset><mesh name="m" {TETRAHEDRON}/></asset>',
         inner=f'<geom type="{t}" mesh="m" pos="0.1 0 0" fitscale="1.2" euler="10 20 30"/>'))
case("mesh builtin sphere",
     arm(pre='<asset><mesh name="m" builtin="sphere" params="2"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
case("mesh maxhullvert",
     arm(pre=f'<asset><mesh name="m" {TETRAHEDRON} maxhullvert="4"/></asset>',
         inner='<geom type="mesh" mesh="m" pos="0.1 0 0"/>'))
# --- bodies
case("site named like body", arm(inner='<site name="lower" pos="0.2 0.2 0.2"/>'))
case("geom named like body", arm(inner='<geom name="lower" size="0.1" pos="0.2 0.2 0.2"/>'))
case("joint named like body",
     '<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body>'
         '</worldbody></mujoco>')
case("tendon named like joint",
     arm(rest='<tendon><fixed name="elbow" stiffness="5"><joint joint="elbow" coef="2"/></fixed></tendon>'))
case("mocap", arm(world='<body name="mo" mocap="true" pos="1 1 1"><geom size="0.1"/></body>'))
case("mocap weld",
     '<mujoco><worldbody><body name="mo" mocap="true" pos="0 0 1"/><body name="b" pos="0 0 1">'
         '<freejoint name="x"/><geom size="0.1" pos="0.1 0 0"/></body></worldbody><equality>'
         '<connect body1="b" body2="mo" anchor="0 0 0"/></equality></mujoco>')
case("frame",
     '<mujoco><worldbody><frame pos="0 0 1" euler="10 20 30"><body name="a" pos="0.1 0 0" euler="5 0 0">'
         '<joint name="j" axis="0 1 0"/><frame pos="0.1 0 0"><geom size="0.1" pos="0.4 0 0"/>'
         '<site name="s" pos="0 0 1"/></frame></body></frame></worldbody></mujoco>')
case("frame joint",
     '<mujoco><worldbody><body name="a" pos="0.1 0 0" euler="5 0 0"><frame pos="0.1 0 0.2" euler="20 30 10">'
         '<joint name="j" axis="0 1 0" pos="0.1 0 0"/><geom size="0.1" pos="0.4 0 0"/></frame></body>'
         '</worldbody></mujoco>')
case("frame inertial",
     '<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><frame pos="0.1 0 0">'
         '<inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></frame></body></worldbody></mujoco>')
case("replicate",
     '<mujoco><worldbody><replicate count="3" offset="0 1 0" euler="0 0 20"><body name="a" pos="0.1 0 0">'
         '<joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body></replicate></worldbody></mujoco>')
case("replicate sep",
     '<mujoco><worldbody><replicate count="11" offset="0 1 0" sep="-"><body name="a" pos="0.1 0 0">'
         '<joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body></replicate></worldbody></mujoco>')
case("replicate geoms",
     arm(inner='<replicate count="4" euler="0 0 90" offset="0 0 0.01"><geom size="0.05" pos="0.2 0 0"/></replicate>'))
case("replicate nested",
     '<mujoco><worldbody><replicate count="2" offset="0 1 0" sep="_">'
         '<replicate count="2" offset="1 0 0" sep="-"><body name="a" pos="0.1 0 0">'
         '<joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body></replicate></replicate>'
         '</worldbody></mujoco>')
case("replicate frame pos",
     '<mujoco><worldbody><replicate count="3" offset="0 1 0" euler="0 30 0"><frame pos="0 0 0.3">'
         '<body name="a" pos="0.1 0 0"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body>'
         '</frame></replicate></worldbody></mujoco>')
case("two worldbodies",
     '<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body>'
         '</worldbody><worldbody><body name="b"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/>'
         '</body></worldbody></mujoco>')
case("inertial euler", arm(inner='<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.025" euler="10 20 30"/>'))
# --- actuators
def driven(text, ctrl, extra="", **attributes):
    return arm(rest=f'{extra}{act(text)}<keyframe><key name="k" ctrl="{ctrl}"/></keyframe>', **attributes)


case("motor", driven('<motor joint="elbow"/>',"2"))
case("motor gear", driven('<motor joint="elbow" gear="3"/>',"2"))
case("motor ctrlrange", driven('<motor joint="elbow" ctrlrange="-1 1"/>',"2"))
case("motor ctrllimited false", driven('<motor joint="elbow" ctrlrange="-1 1" ctrllimited="false"/>',"2"))
case("motor autolimits false",
     driven('<motor joint="elbow" ctrlrange="-1 1" ctrllimited="true"/>',"2", pre='<compiler autolimits="false"/>'))
case("motor forcerange", driven('<motor joint="elbow" forcerange="-1 1" gear="2"/>',"2"))
case("motor damping armature", driven('<motor joint="elbow" damping="0.3" armature="0.02" gear="3"/>',"2"))
case("motor damping poly", driven('<motor joint="elbow" damping="0.3 0.1 0.2" gear="3"/>',"2"))
case("motor damping forcerange", driven('<motor joint="elbow" damping="3" forcerange="-1 1" gear="3"/>',"2"))
case("position", driven('<position joint="elbow" kp="20"/>',"1"))
case("position kv", driven('<position joint="elbow" kp="20" kv="2"/>',"1"))
case("position gear", driven('<position joint="elbow" kp="20" kv="2" gear="3"/>',"1"))
case("position ref", driven('<position joint="elbow" kp="20" kv="2"/>',"1", elbow='ref="20"'))
case("position dampratio", driven('<position joint="elbow" kp="20" dampratio="1"/>',"1"))
case("position dampratio shoulder", driven('<position joint="shoulder" kp="20" dampratio="1"/>',"1"))
case("position dampratio gear", driven('<position joint="elbow" kp="20" dampratio="0.5" gear="3"/>',"1"))
case("position dampratio armature",
     driven('<position joint="elbow" kp="20" dampratio="0.5" armature="0.1" gear="2"/>',"1", elbow='armature="0.05"'))
case("position dampratio two armatures",
     driven('<position joint="elbow" kp="20" dampratio="0.5"/>'
         '<motor joint="elbow" armature="0.1" gear="2"/>',"1 0", elbow='armature="0.05"'))
case("position dampratio tendon",
     driven('<position tendon="t" kp="20" dampratio="1"/>',"1", extra='<tendon><fixed name="t">'
         '<joint joint="elbow" coef="2"/><joint joint="shoulder" coef="1"/></fixed></tendon>'))
case("position dampratio spatial",
     driven('<position tendon="t" kp="20" dampratio="1"/>',"1", extra='<tendon><spatial name="t">'
         '<site site="s1"/><site site="s2"/></spatial></tendon>'))
case("position dampratio loop",
     driven('<position joint="elbow" kp="20" dampratio="1"/>',"1", extra='<equality>'
         '<joint joint1="elbow" joint2="shoulder"/></equality>'))
case("position timeconst", driven('<position joint="elbow" kp="20" timeconst="0.1"/>',"1"))
case("position timeconst ctrlrange",
     driven('<position joint="elbow" kp="20" timeconst="0.1" ctrlrange="-0.5 0.5"/>',"1"))
case("position inheritrange",
     driven('<position joint="elbow" kp="20" inheritrange="0.5"/>',"1", elbow='range="-10 40"',
         pre='<option><flag limit="disable"/></option>'))
case("position inheritrange limited false",
     driven('<position joint="elbow" kp="20" inheritrange="0.5"/>',"1", elbow='range="-10 40" limited="false"'))
case("position inheritrange slide",
     driven('<position joint="elbow" kp="20" inheritrange="0.5"/>',"1", elbow='type="slide" range="-0.1 0.4"',
         pre='<option><flag limit="disable"/></option>'))
case("position inheritrange default",
     driven('<position joint="elbow"/>',"1", elbow='range="-10 40"',
         pre='<option><flag limit="disable"/></option><default><position kp="30" inheritrange="1.2"/></default>'))
case("position inheritrange tendon",
     driven('<position tendon="t" kp="20" inheritrange="0.5"/>',"1", pre='<option><flag limit="disable"/></option>',
         extra='<tendon><fixed name="t" range="-0.2 0.3"><joint joint="elbow" coef="2"/></fixed></tendon>'))
case("general inheritrange",
     driven('<general joint="elbow" biastype="affine" gainprm="20" biasprm="0 -20 0" inheritrange="0.5"/>',"1", elbow='range="-10 40"', pre='<option><flag limit="disable"/></option>'))
case("intvelocity", driven('<intvelocity joint="elbow" kp="20" actrange="-0.5 0.5"/>',"3"))
case("intvelocity kv", driven('<intvelocity joint="elbow" kp="20" kv="1" actrange="-0.5 0.5"/>',"1"))
case("intvelocity inheritrange",
     driven('<intvelocity joint="elbow" kp="20" inheritrange="1"/>',"3", elbow='range="-10 40"',
         pre='<option><flag limit="disable"/></option>'))
case("velocity", driven('<velocity joint="elbow" kv="3"/>',"1"))
case("velocity default kv", driven('<velocity joint="elbow"/>',"1"))
case("damper", driven('<damper joint="elbow" kv="3" ctrlrange="0 2"/>',"1"))
case("cylinder", driven('<cylinder joint="elbow" timeconst="0.1" area="2" bias="0.1 -1 -0.5"/>',"1"))
case("cylinder diameter", driven('<cylinder joint="elbow" timeconst="0.1" diameter="2"/>',"1"))
case("general", driven('<general joint="elbow" gainprm="3" biastype="affine" biasprm="0.5 -2 -1"/>',"1"))
case("general affine gain", driven('<general joint="elbow" gaintype="affine" gainprm="3 1 -0.5" gear="2"/>',"1"))
case("general biasprm no type", driven('<general joint="elbow" biasprm="5 0 0"/>',"1"))
case("general integrator", driven('<general joint="elbow" dyntype="integrator"/>',"1"))
case("general filter", driven('<general joint="elbow" dyntype="filter" dynprm="0.05"/>',"1"))
case("general filterexact", driven('<general joint="elbow" dyntype="filterexact" dynprm="0.05"/>',"1"))
case("general actrange", driven('<general joint="elbow" dyntype="integrator" actrange="-0.1 0.1"/>',"1"))
case("activation key",
     arm(rest=act('<general joint="elbow" dyntype="integrator"/>')+'<keyframe>'
         '<key name="k" ctrl="1" act="0.7"/></keyframe>'))
case("default general motor",
     driven('<motor joint="elbow"/>',"1", pre='<default><general gainprm="5" gear="2"/></default>'))
case("default motor general",
     driven('<general joint="elbow"/>',"1", pre='<default><motor gear="3" ctrlrange="-0.5 0.5"/></default>'))
case("default position motor",
     driven('<motor joint="elbow"/>',"1", pre='<default><position kp="5" gear="2"/></default>'))
case("default position general",
     driven('<general joint="elbow"/>',"1", pre='<default><position kp="5" kv="0.2" gear="2"/></default>'))
case("default position velocity",
     driven('<velocity joint="elbow"/>',"1", pre='<default><position kp="5" gear="2"/></default>'))
case("default general position",
     driven('<position joint="elbow"/>',"1", pre='<default><general gainprm="5" biasprm="1 2 -3"/></default>'))
case("default position kv position",
     driven('<position joint="elbow" kp="7"/>',"1", pre='<default><position kp="5" kv="2"/></default>'))
case("default class position",
     driven('<position class="p" joint="elbow"/>',"1", pre='<default><default class="p">'
         '<position kp="5" kv="2"/></default></default>'))
case("default class nested position",
     driven('<position class="q" joint="elbow"/>',"1", pre='<default><default class="p">'
         '<position kp="5" kv="2"/><default class="q"><position kp="9"/></default></default></default>'))
case("default class dampratio nested",
     driven('<position class="q" joint="elbow"/>',"1", pre='<default><default class="p">'
         '<position kp="5" dampratio="1"/><default class="q"><position kp="9"/></default></default></default>'))
case("default position timeconst",
     driven('<position joint="elbow" kp="3"/>',"1", pre='<default><position timeconst="0.05"/></default>'))
case("default cylinder",
     driven('<cylinder joint="elbow"/>',"1", pre='<default><cylinder area="5" timeconst="0.1"/></default>'))
case("default damper", driven('<damper joint="elbow" ctrlrange="0 1"/>',"1", pre='<default><damper kv="5"/></default>'))
case("default two actuators order",
     driven('<general joint="elbow"/>',"1", pre='<default><position kp="5"/><motor gear="2"/></default>'))
case("childclass actuator",
     driven('<position joint="elbow"/>',"1", pre='<default><default class="b"><position kp="20"/></default>'
         '</default>', lower='childclass="b"'))
case("site actuator", driven('<motor site="s2" gear="1 2 3 0 0 0"/>',"1"))
case("site actuator torque", driven('<motor site="s1" gear="0 0 0 1 2 3"/>',"1"))
case("site actuator both forcerange", driven('<motor site="s1" gear="1 1 0 1 2 3" forcerange="-0.5 0.5"/>',"1"))
case("site refsite", driven('<motor site="s2" refsite="s1" gear="1 2 3 0 0 0"/>',"1"))
case("site refsite position", driven('<position site="s2" refsite="s1" gear="0 0 1 0 0 0" kp="20"/>',"0.1"))
case("site refsite rotation", driven('<position site="s2" refsite="s1" gear="0 0 0 0 1 0" kp="5"/>',"0.1"))
case("site actuator affine", driven('<velocity site="s2" gear="0 0 1 0 0 0" kv="2"/>',"0.1"))
case("ball actuator", driven('<motor joint="elbow" gear="1 2 3"/>',"1", elbow='type="ball"'))
case("ball actuator inparent",
     driven('<motor jointinparent="elbow" gear="1 2 3"/>',"1", elbow='type="ball"', lower='euler="20 0 10"'))
case("ball position", driven('<position joint="elbow" gear="0 1 0" kp="5"/>',"0.3", elbow='type="ball"'))
case("ball velocity", driven('<velocity joint="elbow" gear="0 1 0" kv="5"/>',"0.3", elbow='type="ball"'))
case("hinge inparent", driven('<motor jointinparent="elbow"/>',"1"))
FREE = ('<mujoco><worldbody><body name="a" pos="0 0 1" euler="30 20 10"><joint name="x" type="free"/>'
         '<geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/><site name="s" pos="0.1 0.2 0.3" euler="50 0 20"/>'
         '</body></worldbody><actuator>%s</actuator><keyframe><key name="k" ctrl="%s"/></keyframe></mujoco>')
case("free actuator", FREE % ('<motor joint="x" gear="1 2 300 4 5 6"/>',"1"))
case("free actuator inparent", FREE % ('<motor jointinparent="x" gear="1 2 300 4 5 6"/>',"1"))
case("free site actuator", FREE % ('<motor site="s" gear="1 2 300 4 5 6"/>',"1"))
case("free velocity", FREE % ('<velocity joint="x" gear="0 0 1 0 0 0" kv="10"/>',"1"))
case("tendon motor",
     driven('<motor tendon="t" gear="2"/>',"1", extra='<tendon><fixed name="t"><joint joint="elbow" coef="2"/>'
         '<joint joint="shoulder" coef="-0.5"/></fixed></tendon>'))
case("tendon actuatorfrcrange",
     driven('<motor tendon="t" gear="2"/>',"1", extra='<tendon><fixed name="t" actuatorfrcrange="-0.5 0.5">'
         '<joint joint="elbow" coef="2"/><joint joint="shoulder" coef="-0.5"/></fixed></tendon>'))
case("tendon motor damping armature",
     driven('<motor tendon="t" gear="2" damping="0.3" armature="0.02"/>',"1", extra='<tendon><fixed name="t">'
         '<joint joint="elbow" coef="2"/><joint joint="shoulder" coef="-0.5"/></fixed></tendon>'))
case("slidercrank", driven('<motor cranksite="s2" slidersite="s1" cranklength="0.4"/>',"1"))
case("muscle",
     driven('<muscle joint="elbow"/>',"1", elbow='range="-30 30"', pre='<option><flag limit="disable"/></option>'))
case("muscle tendon",
     driven('<muscle tendon="t" lengthrange="0.1 0.4" force="20"/>',"1", extra='<tendon><spatial name="t">'
         '<site site="s1"/><site site="s2"/></spatial></tendon>'))
case("adhesion", driven('<adhesion body="lower" ctrlrange="0 1"/>',"1"))
case("pid", driven('<pid joint="elbow" kp="20" kv="1"/>',"0.5 0"))
case("pid ki", driven('<pid joint="elbow" kp="20" kv="1" ki="3" input="pos"/>',"0.5"))
case("orientation", driven('<orientation joint="elbow" kp="20" kv="1"/>',"0.5 0 0", elbow='type="ball"'))
case("dcmotor", driven('<dcmotor joint="elbow" motorconst="0.5" resistance="2"/>',"1"))
case("delay", driven('<motor joint="elbow" nsample="10" delay="0.01"/>',"2"))
case("key name missing ctrl",
     arm(rest=act('<motor joint="elbow"/>')+'<keyframe><key name="k" qpos="0.3 0.2" qvel="1 2"/></keyframe>'))
case("key qpos ref", arm(elbow='ref="30"', rest='<keyframe><key name="k" qpos="0.3 0.2" qvel="1 2"/></keyframe>'))
case("key ball",
     arm(elbow='type="ball"', rest='<keyframe><key name="k" qpos="0.3 1 0.2 0.3 0" qvel="1 2 3 4"/></keyframe>'))
case("key free", FREE % ('<motor joint="x"/>','0" qpos="1 2 3 1 0.2 0.3 0" qvel="1 2 3 4 5 6'))
case("key mocap",
     '<mujoco><worldbody><body name="mo" mocap="true" pos="0 0 1"/><body name="b" pos="0 0 1">'
         '<freejoint name="x"/><geom size="0.1" pos="0.1 0 0"/></body></worldbody><equality>'
         '<connect body1="b" body2="mo" anchor="0 0 0"/></equality><keyframe>'
         '<key name="k" qpos="1 0 1 1 0 0 0" mpos="1 0 1"/></keyframe></mujoco>')
# --- tendons
def tendon(text, **attributes):
    return arm(rest=f"<tendon>{text}</tendon>", **attributes)


case("fixed tendon spring",
     tendon('<fixed name="t" stiffness="5" damping="0.4" springlength="0.3"><joint joint="elbow" coef="2"/>'
         '<joint joint="shoulder" coef="-1"/></fixed>'))
case("fixed tendon ref",
     tendon('<fixed name="t" stiffness="5" damping="0.4"><joint joint="elbow" coef="2"/></fixed>', elbow='ref="30"'))
case("fixed tendon springref",
     tendon('<fixed name="t" stiffness="5" damping="0.4"><joint joint="elbow" coef="2"/></fixed>',
         elbow='springref="30"'))
case("fixed tendon springlength range",
     tendon('<fixed name="t" stiffness="5" springlength="-0.1 0.1"><joint joint="elbow" coef="2"/></fixed>'))
case("fixed tendon stiffness poly",
     tendon('<fixed name="t" stiffness="5 3 2" damping="0.1 0.2 0.3" springlength="0.1">'
         '<joint joint="elbow" coef="2"/></fixed>'))
case("fixed tendon armature",
     tendon('<fixed name="t" armature="0.3"><joint joint="elbow" coef="2"/><joint joint="shoulder" coef="1"/></fixed>'))
case("spatial tendon",
     tendon('<spatial name="t" stiffness="50" damping="4" springlength="0.1"><site site="s1"/><site site="s2"/>'
         '</spatial>'))
case("spatial tendon springref",
     tendon('<spatial name="t" stiffness="50"><site site="s1"/><site site="s2"/></spatial>', elbow='springref="30"'))
case("spatial armature",
     tendon('<spatial name="t" armature="0.5" stiffness="20" springlength="0.1"><site site="s1"/>'
         '<site site="s2"/></spatial>'))
case("spatial world",
     tendon('<spatial name="t" stiffness="50" springlength="0.1"><site site="w"/><site site="s1"/>'
         '<site site="s2"/></spatial>', world='<site name="w" pos="0 0 2"/>'))
case("spatial pulley",
     tendon('<spatial name="t" stiffness="50" springlength="0.1"><site site="w"/><site site="s1"/>'
         '<pulley divisor="2"/><site site="s1"/><site site="s2"/></spatial>', world='<site name="w" pos="0 0 2"/>'))
case("spatial same body",
     tendon('<spatial name="t" stiffness="50" springlength="0.1"><site site="s1"/><site site="s3"/>'
         '<site site="s2"/></spatial>', pre='', inner='<site name="s3" pos="0.1 0 0.1"/>'))
case("spatial wrap sphere",
     tendon('<spatial name="t" stiffness="50" springlength="0.1"><site site="w"/><geom geom="g1"/>'
         '<site site="s2"/></spatial>', world='<site name="w" pos="0 0 2"/>', geom='').replace('type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"','type="sphere" size="0.1" pos="0.3 0 0"'))
case("spatial wrap cylinder",
     tendon('<spatial name="t" stiffness="50" springlength="0.1"><site site="w"/><geom geom="g1"/>'
         '<site site="s2"/></spatial>', world='<site name="w" pos="0 0 1.2"/>').replace('type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"','type="cylinder" size="0.1 0.2" pos="0.3 0 0" euler="90 0 0"'))
case("tendon default",
     arm(pre='<default><tendon stiffness="3" damping="0.2"/></default>',
         rest='<tendon><fixed name="t"><joint joint="elbow" coef="2"/></fixed></tendon>', elbow='stiffness="1"'))
case("tendon springyield",
     tendon('<fixed name="t" stiffness="5" springyield="0.01" springlength="1"><joint joint="elbow" coef="2"/>'
         '</fixed>'))
# --- equality
def equality(text, **attributes):
    return arm(rest=f"<equality>{text}</equality>", **attributes)


case("eq joint", equality('<joint joint1="elbow" joint2="shoulder" polycoef="0 0.5"/>'))
case("eq joint poly", equality('<joint joint1="elbow" joint2="shoulder" polycoef="0 0.5 0.3 0.2 0.1"/>'))
case("eq joint ref",
     equality('<joint joint1="elbow" joint2="shoulder" polycoef="0 0.5 0.3"/>', elbow='ref="20"', shoulder='ref="10"'))
case("eq joint one", equality('<joint joint1="elbow" polycoef="0"/>'))
case("eq joint inactive", equality('<joint joint1="elbow" active="false"/>'))
case("eq default inactive",
     arm(pre='<default><equality active="false"/></default>',
         rest='<equality><joint joint1="elbow" joint2="shoulder" polycoef="0 1"/>'
         '<connect body1="lower" anchor="0.3 0 0"/></equality>'))
WELD = ('<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/></body>'
         '<body name="b" pos="1 0 0" euler="10 20 30"><freejoint name="k"/><geom size="0.1" pos="-0.4 0.1 0"/>'
         '</body></worldbody><equality>%s</equality></mujoco>')
case("eq weld", WELD % '<weld body1="a" body2="b"/>')
case("eq weld torquescale", WELD % '<weld body1="a" body2="b" torquescale="0"/>')
case("eq weld torquescale small", WELD % '<weld body1="a" body2="b" torquescale="0.5"/>')
case("eq tendon",
     arm(rest='<tendon><fixed name="t"><joint joint="elbow" coef="2"/></fixed><fixed name="u">'
         '<joint joint="shoulder" coef="1"/></fixed></tendon><equality>'
         '<tendon tendon1="t" tendon2="u" polycoef="0 0.7"/></equality>'))
# A loop of two balls and two hinges.
LOOP = ('<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/>'
        '<site name="s" pos="0.5 0 0.1"/></body><body name="b" pos="1 0 0"><joint name="k" axis="0 1 0"/>'
        '<geom size="0.1" pos="-0.3 0 0.2"/><body name="c" pos="-0.3 0 0.2"><joint name="l" type="ball"/>'
        '<geom size="0.1" pos="0 0.1 -0.05"/><site name="q" pos="-0.2 0 -0.1"/></body></body></worldbody>'
        '<equality>%s</equality></mujoco>')
case("eq connect", LOOP % '<connect body1="a" body2="c" anchor="0.5 0 0.1"/>')
case("eq connect sites", LOOP % '<connect site1="s" site2="q"/>')
# --- names
case("user attributes", arm(elbow='user="1 2"'))

EXPECTED = {
    "springyield": "springs that yield (springyield)",
    "ball frictionloss": "dry friction of ball joints",
    "ball range": "limits of ball joints",
    "free stiffness": "stiffness of the free joint",
    "actuatorfrcrange site actuator": "an actuator of a site that joints with actuatorfrcrange carry",
    "actuatorgravcomp": "the gravity compensation of joint elbow acts",
    "actuatorgravcomp limited": "gravity compensation that is bounded by actuatorfrcrange",
    "mesh builtin sphere": "a mesh needs a file, or vertices",
    "position inheritrange limited false": "inherits the range of a joint that has no limits",
    "site refsite": "of this transmission is",
    "site refsite position": "of this transmission is",
    "site refsite rotation": "of this transmission is",
    "ball position": "a ball joint that depends on its angles",
    "slidercrank": "of this transmission is",
    "muscle": "muscles are",
    "muscle tendon": "muscles are",
    "pid": "the actuator <pid>",
    "pid ki": "the actuator <pid>",
    "orientation": "the actuator <orientation>",
    "dcmotor": "the actuator <dcmotor>",
    "delay": "the delay of a control",
    "spatial wrap sphere": "tendons around geoms",
    "spatial wrap cylinder": "tendons around geoms",
    "tendon springyield": "springs that yield (springyield)",
    "unbalanced": "is that of no body",
}
