model A
  Real x "text with \"quotes\", \\ and °";
equation
  x = 1 // note
  ;
end A;
