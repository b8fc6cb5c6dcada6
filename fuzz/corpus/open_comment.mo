model A /* never closed
end A;