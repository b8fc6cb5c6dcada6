//! base 0.1.0
package 'Spring.Example'
  type 'Spring.Kind' = enumeration('linear', 'cubic');

  record 'Spring.Data'
    parameter Real 'c'(min = 0.0, unit = "N/m") = 1.0;
    Real 's_rel'(unit = "m", quantity = "Length");
  end 'Spring.Data';

  constant Real 'Spring.pi' = 3.141592653589793;

  function 'Spring.force' "force of a spring"
    input Real 's'(unit = "m");
    input Real 'c'[2];
    input 'Spring.Kind' 'kind' = 'Spring.Kind'.'linear';
    output Real 'f';
    output Real 'energy';
    Real 'k'[2](each unit = "1") = if 'kind' == 'Spring.Kind'.'linear' then {1.0, 0.0} else {1.0, 1.0};
  algorithm
    'f' := 'c'[1] * 'k'[1] * 's' + 'c'[2] * 'k'[2] * 's' ^ 3.0;
    'energy' := 0.0;

    for 'i' in 1:2 loop
      'energy' := 'energy' + 'c'['i'] * 'k'['i'] * 's' ^ (2.0 * 'i') / (2.0 * 'i');
    end for;
    annotation(Inline = true);
  end 'Spring.force';

  model 'Spring.Example' "exported from a library"
    parameter Real 'mass.m'(start = 1.0, min = 0.0, unit = "kg", quantity = "Mass") = 1.0 "Mass of the sliding mass";
    parameter StateSelect 'mass.stateSelect' = StateSelect.default "Priority to use s and v as states" annotation(Evaluate = true);
    Real 'mass.s'(fixed = true, start = 0.5, stateSelect = StateSelect.prefer, unit = "m") "Absolute position";
    Real 'mass.v'(fixed = true, start = 0.0, stateSelect = StateSelect.prefer, unit = "m/s") "Absolute velocity";
    Real 'mass.flange_a.f'(unit = "N") "Cut force directed into flange";
    Real 'spring.frames[1].R.T[1,2]';
    Real 'spring.f'(unit = "N"), 'energy';
    Boolean 'moving'(start = false);
    parameter equation guess('mass.flange_a.f') = prioritize(-0.5, 2) "a guess";
  initial equation
    'moving' = false;
  equation
    der('mass.s') = 'mass.v';
    'mass.m' * der('mass.v') = 'mass.flange_a.f';
    'mass.flange_a.f' = -'spring.f';
    ('spring.f', 'energy') = 'Spring.force'('mass.s', {1.0, 0.25}, 'Spring.Kind'.'cubic');
    'spring.frames[1].R.T[1,2]' = ('Spring.force'('mass.s', {1.0, 0.0}))[1];
    when abs('mass.v') > 1e-3 and not 'moving' then
      'moving' = true;
    end when;
    annotation(experiment(StartTime = 0.0, StopTime = 2.0, Tolerance = 1e-06));
  end 'Spring.Example';
end 'Spring.Example';
