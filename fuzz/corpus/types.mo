type Length = Real[3](unit = "m", min = 0) "a length" annotation(a(b = {1, 2}, c = "x"));
function f = A.B.g(n = 3);
block B "b" + "c" public Real x; protected final constant Real y = 1; end B;
operator record Complex Real re, im; end Complex;
package Q operator '+' function add end add; end '+'; pure constant function h end h; end Q;
