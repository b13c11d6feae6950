"""Code of a user who checks it with mypy in strict mode. types_test.py compares mypy's messages with the comments."""
import bankwise
import bankwise.cute
import bankwise.testing
import bankwise.triton

column = bankwise.explain("tile[t][0]", array="float tile[32][32]", mask=0xFF, block=(32, 8))
reveal_type(column)  # bankwise._access.Access
reveal_type(column.wavefronts)  # builtins.int
reveal_type(column.svg())  # builtins.str
reveal_type(column.to_dict())  # builtins.dict[builtins.str, Any]
reveal_type(bankwise.fix("ld a[t]", array="float a[32]"))  # bankwise._fix.Fix
reveal_type(bankwise.fix("ld a[t]", "ld b[t]", array=["float a[32]", "float b[32]"]))  # builtins.list[bankwise._fix.Fix]
reveal_type(bankwise.fix("ld a[t]", array="float a[32]").best)  # Union[bankwise._fix.Layout, None]
reveal_type(bankwise.predict([[0] * 32]).to_dict())  # builtins.dict[builtins.str, Any]
report = bankwise.run("x.cubin", "k", (8, 8), 32, [bytearray(4), 1, None, "f32[8]=iota", bankwise.cute.tensor(bytearray(4))])
reveal_type(report.launch.worst)  # Union[bankwise._report.Site, None]
reveal_type(report.lines[0].wavefronts)  # builtins.int
reveal_type(report.removable)  # builtins.int
reveal_type(report.render("csv"))  # builtins.str
reveal_type(bankwise.read_report("r.json"))  # bankwise._report.Report
bankwise.testing.assert_wavefronts(report, 4224)
reveal_type(bankwise.time_many([("x.cubin", "k", 8, 32, [1])]))  # builtins.list[Union[bankwise._batch.LaunchTime, bankwise._errors.Error]]
reveal_type(bankwise.tune("x.cu", [{"N": 4}], grid=8)[0].microseconds)  # builtins.float
bankwise.testing.assert_tuned("x.cu", [{"N": 4}, {"N": 8}], {"N": 8}, by=3)
bankwise.testing.assert_conflict_free("t * 4")
profile = bankwise.triton.profile(object(), (1,), [bytearray(4)], BM=64, num_warps=4)
reveal_type(profile.report)  # bankwise._report.Report
reveal_type(profile.better()[0][1])  # builtins.int
reveal_type(bankwise.triton.sweep(object(), (1,), [], [{"BM": 64}]).best)  # Union[bankwise.triton.Profile, None]
reveal_type(bankwise.__version__)  # builtins.str
try:
    pass
except bankwise.Error as error:
    reveal_type(error.line)  # builtins.int

bankwise.explain("t", aray="float a[32]")  # error: No overload variant of "explain" matches argument types "str", "str"
bankwise.fix(1)  # error: No overload variant of "fix" matches argument type "int"
bankwise.testing.assert_wavefronts("t")  # error: Missing positional argument "expected" in call to "assert_wavefronts"
