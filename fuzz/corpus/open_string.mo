model A Real x = "never closed;
end A;