"""``python -m deskcrew_bench.browsergym``."""

import sys

from deskcrew_bench.browsergym.episode import main

sys.exit(main())
