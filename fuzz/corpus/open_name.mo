model A Real 'never closed;
end A;