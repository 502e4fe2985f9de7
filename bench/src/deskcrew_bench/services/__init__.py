"""Services that say that something was kept: pages over stores that alone decide what is true."""
