x; // bankwise: ignore BW101 -- once
// bankwise: ignore BW102

y;
# bankwise: ignore bw103, BW101 -- z
