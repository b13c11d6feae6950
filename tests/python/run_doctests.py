#!/usr/bin/python3
"""Runs the examples in the docstrings of the installed package, and those in blocks of pages that are marked as pycon.
  run_doctests.py EXAMPLES PAGE...
"""
import doctest
import importlib
import pathlib
import pkgutil
import re
import sys

import bankwise

names = {"examples": sys.argv[1]}
failed = tried = 0
for module in [bankwise, *(importlib.import_module("bankwise." + m.name) for m in pkgutil.iter_modules(bankwise.__path__)
                           if m.name != "__main__")]:
    result = doctest.testmod(module, extraglobs=names)
    failed, tried = failed + result.failed, tried + result.attempted
public = [getattr(bankwise, name) for name in bankwise.__all__]
for thing in public:
    assert thing.__doc__, thing
    if callable(thing) and thing.__name__.islower() and thing is not bankwise.read_report:
        assert ">>>" in thing.__doc__, "{} shows no example".format(thing.__name__)
for page in map(pathlib.Path, sys.argv[2:]):
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text(), re.M | re.S)
    assert blocks, page
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), dict(names), page.name, str(page), 0)
    result = doctest.DocTestRunner().run(test)
    failed, tried = failed + result.failed, tried + result.attempted
print(tried, "examples,", failed, "failed")
sys.exit(failed != 0 or tried < 30)
