#!/usr/bin/env bash
# Simulates the pendulum of examples/ and shows what came out: demo.sh PROGRAM FOLDER
set -euo pipefail
program=$1
folder=$2
cd "$(dirname "$0")/.."
mkdir -p "$folder"
model=examples/pendulum.mo

echo "A pendulum as a textbook writes it: x'' and y'' with a rod force lambda, and x^2 + y^2 = L^2."
echo "That is a DAE of index 3. The model:"
echo
sed 's/^/    /' "$model"
echo
echo "\$ daedalus check examples/pendulum.mo"
echo
"$program" check "$model" | sed 's/^/    /'
echo
echo "\$ daedalus run examples/pendulum.mo --out $folder/pendulum.csv --plot $folder/pendulum.svg --report $folder/pendulum.html --vars x,y"
echo
"$program" run "$model" --out "$folder/pendulum.csv" --plot "$folder/pendulum.svg" --report "$folder/pendulum.html" --vars x,y 2>&1 | sed 's/^/    /'
echo
# x over time, as a text plot: a row of the terminal is a range of x, a column an instant.
awk -F, -v width=76 -v height=15 '
  NR == 1 { for (i = 2; i <= NF; i++) if ($i == "x") column = i }
  NR > 1 { t[NR - 1] = $1; x[NR - 1] = $column }
  END {
    n = NR - 1; low = high = x[1]
    for (i = 1; i <= n; i++) { if (x[i] < low) low = x[i]; if (x[i] > high) high = x[i] }
    for (i = 1; i <= n; i++) {
      c = int((i - 1) / (n - 1) * (width - 1)); r = int((high - x[i]) / (high - low) * (height - 1) + 0.5)
      mark[r, c] = "*"
    }
    for (r = 0; r < height; r++) {
      line = ""
      for (c = 0; c < width; c++) line = line ((r, c) in mark ? "*" : " ")
      label = r == 0 ? sprintf("%6.2f", high) : r == height - 1 ? sprintf("%6.2f", low) : "      "
      sub(/ +$/, "", line); printf "  %s |%s\n", label, line
    }
    printf "  x(t)    t = %g … %g\n", t[1], t[n]
  }' "$folder/pendulum.csv"
echo
leg=problems/mechanisms/jansen.xml
echo "A walking leg: three closed loops and one motor."
echo
echo "\$ daedalus run $leg --until 3 --set motor=6 --report $folder/jansen.html"
echo
"$program" run "$leg" --until 3 --set motor=6 --report "$folder/jansen.html" 2>/dev/null
echo "  $PWD/$folder/pendulum.csv    the pendulum's trajectory"
echo "  $PWD/$folder/pendulum.svg    its picture"
echo "  $PWD/$folder/pendulum.html   its page: curves to zoom into, drift, steps, structure"
echo "  $PWD/$folder/jansen.html     the leg's page, with its motion: open it in a browser"
