class 'T' extends ExternalObject;
  function constructor input String 'n'; output 'T' 't';
  external "C" 't' = open_table('n', size('a', 1), 3) annotation(Library = {"x", "y"});
  end constructor;
  function destructor input 'T' 't'; external "C" close_table('t'); end destructor;
end 'T';
function sine input Real u; output Real y; external "builtin" y = sin(u); end sine;
impure function z external; end z;
