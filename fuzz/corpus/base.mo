//! base 0.1.0
package 'P'
  type 'E' = enumeration('a', 'b c' "second");
  record 'R' Real 'x'(unit = "m"); Integer 'n'; end 'R';
  constant Real 'c'[2] = {1.0, 2e-3};
  function 'f' "doc"
    input Real 'u'[:];
    output Real 'y';
    Real 'w'[3](each unit = "1") = if 'u'[1] < 1e-10 then {1.0, 0.0, 0.0} else 'g'('u', 2.2e-14);
  algorithm
    'y' := 0.0;
    for 'i' in 1:size('u', 1) loop
      'y' := 'y' + 'u'['i']^2;
    end for;
    annotation(Inline = true);
  end 'f';
  @1 model 'P' "model"
    parameter 'E' 'e' = 'E'.'a' annotation(Evaluate = true);
    Real 'b.x[1]'(fixed = true, start = 1.0, displayUnit = "deg") "text";
    parameter equation guess('b.x[1]') = prioritize(1.0, 2);
  initial equation
    prioritize('b.x[1]', 1);
  equation
    @2 der('b.x[1]') = -'f'({'b.x[1]', 2.0}) @3 "note";
    'q' = ('f'('r')).'x';
  end 'P';
end 'P';
