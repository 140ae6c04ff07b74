"""What every part of a table uses: values on disk, notices, names, chance, and the ports to the outside."""
