// Library functions at the bounds of their arguments, and with arguments that they refuse.
import { describe, expect, it } from 'vitest'
import { ScriptFault } from './language/faults.ts'
import { writeJson } from './language/index.ts'
import { NESTING_MAX, SCRIPT_LENGTH_MAX } from './language/limits.ts'
import { compileScript } from './script.ts'

const DIGITS = 'fn digits(n) { let s = ""; s.pad(n, "0"); s } '

/** Returns the value of an expression as JSON, or `fault: ` and its kind. */
function resultOf(script: string): string {
  try {
    return writeJson(compileScript(DIGITS + script).run([], () => undefined))
  } catch (error) {
    if (error instanceof ScriptFault) return `fault: ${error.kind}`
    throw error
  }
}

const VALUES: readonly (readonly [expression: string, value: string])[] = [
  ['[sign(-0.5), sign(0.0), sign(5), abs(-0.5), abs(0)]', '[-1,0,1,0.5,0]'],
  ['[is_odd(2), is_even(-2), is_even(1)]', '[false,true,false]'],
  ['[min(2.0, 2), min(2, 2.0), max(2, 2.0), max("a", "b")]', '[2.0,2.0,2.0,"b"]'],
  ['[round(1.5), round(-1.5), round(0.4), to_float(1.5)]', '[2.0,-2.0,0.0,1.5]'],
  ['[log(16.0, 4.0), log(1000.0), to_degrees(0.0)]', '[2.0,3.0,0.0]'],
  ['[parse_int("+7"), parse_int("z", 36), parse_int("11", 2)]', '[7,35,3]'],
  [
    '[parse_int("-9223372036854775808"), parse_int("9223372036854775807")]',
    '[-9223372036854775808,9223372036854775807]',
  ],
  [
    '[parse_float("-1"), parse_float(".5"), parse_float("1."), parse_float("1e-2")]',
    '[-1.0,0.5,1.0,0.01]',
  ],
  [
    '[parse_int(digits(999) + "7"), parse_int("-" + digits(999) + "7"), parse_float(digits(1000))]',
    '[7,-7,0.0]',
  ],
  // Infinity equals nothing.
  ['[is_infinite(parse_float("inf")), is_nan(parse_float("NaN"))]', '[true,true]'],
  ['parse_float("-infinity") < 0.0', 'true'],
  // Texts.
  ['[sub_string("abc", -5, 2), sub_string("abc", 1, -1), sub_string("abc", 5)]', '["ab","",""]'],
  [
    '[sub_string("abc", 2..1), sub_string("abc", -2..3), sub_string("abc", 0..=5)]',
    '["","bc","abc"]',
  ],
  [
    '["a,b,c".split(",", 1), "a,b,c".split(",", 3), "a,b".split(",", 5)]',
    '[["a,b,c"],["a","b","c"],["a","b"]]',
  ],
  ['["ab".split(""), "abc".split(-1), "abc".split(9)]', '[["","a","b",""],["ab","c"],["abc",""]]'],
  ['["a,b,c".split(",", 0), " a b ".split()]', '[["a,b,c"],["a","b"]]'],
  [
    '["a,b,c".split_rev(","), "a,b,c".split_rev(",", 1), "a,b,c".split_rev(",", 3)]',
    '[["c","b","a"],["a,b,c"],["c","b","a"]]',
  ],
  ['["a,b".split_rev(",", 9), "a,b".split_rev(",", 0)]', '[["b","a"],["a,b"]]'],
  ['["abab".index_of("b", 2), "abab".index_of("a", -2), "abc".index_of("d")]', '[3,2,-1]'],
  ['["😀a😀a".index_of("a", 2), "abc".index_of("a", 1)]', '[3,-1]'],
  ['["ab".get(0), "ab".get(-2), "ab".get(-3), "ab".get(2)]', '["a","a",null,null]'],
  ['["abc".contains("d"), "abc".starts_with("b"), "abc".ends_with("c")]', '[false,false,true]'],
  ["[\"abc\".contains('b'), to_upper('a'), to_lower('A')]", '[true,"A","a"]'],
  ['let t = ""; for c in chars("abcd", 1, 2) { t += c; } t', '"bc"'],
  // Arrays.
  ['[get([1, 2], -1), get([1], -2), get([1], 1)]', '[2,null,null]'],
  [
    '[extract([1, 2, 3], -2, 1), extract([1, 2, 3], 1, -1), extract([1, 2], 0..9)]',
    '[[2],[],[1,2]]',
  ],
  ['[[].all(|x| false), [].some(|x| true), [1].find(|x| x > 1)]', '[true,false,null]'],
  ['[[1].find_map(|x| ()), [1, 2].find_map(|x, i| if i == 0 { x } else { 9 })]', '[null,1]'],
  ['[[1, 2, 1].index_of(1, 1), [1, 2].index_of(|x| x > 1), [1, 2].index_of(3)]', '[2,1,-1]'],
  ['[[1, 2, 1].index_of(1, -1), [1].index_of(1, 5)]', '[2,-1]'],
  ['[1, 2].reduce(|s, x| if s == () { x } else { s * 10 + x })', '12'],
  ['["a", "b"].reduce_rev(|s, x, i| s + i, "")', '"10"'],
  ['[[5, 6].map(|x, i| x * i), [1, 2].map(|| this + 1)]', '[[0,6],[2,3]]'],
  [
    '[["b", "a"].order(), [true, false].order(), [].order(), [(), ()].order()]',
    '[["a","b"],[false,true],[],[null,null]]',
  ],
  ['[[1, 2, 3].order(|a, b| a > b), [2.5, 1.5].order_desc()]', '[[3,2,1],[2.5,1.5]]'],
  ['[[1, 2].contains(3), [1, 2].contains(1.0)]', '[false,true]'],
  // Maps.
  ['[#{a: ()}.get("a"), contains(#{a: 1}, "b"), is_empty(#{}), len(#{})]', '[null,false,true,0]'],
  ['[#{a: 1, b: 2}.filter(|k, v| v > 1), #{a: 1}.map(|| this + 1)]', '[{"b":2},{"a":2}]'],
  // Others.
  ['let s = 0; for i in range(0, 3) { s = s * 10 + i + 1; } s', '123'],
  ['let s = 0; for i in range(0, 5, 2) { s = s * 10 + i; } s', '24'],
  ['let s = 7; for i in range(3, 0) { s = 0; } for i in range(0, 3, 0) { s = 0; } s', '7'],
  ['[len(blob(10000)), blob(-1), blob(1, -1), blob(2)]', '[10000,[],[255],[0,0]]'],
  ['fn g(a) { } [is_def_fn("g", 1), is_def_fn("g", 0), is_def_fn("h", 1)]', '[true,false,false]'],
  [
    '[print(), sleep(1.5), Fn("f").is_anonymous(), (|x| x).is_anonymous()]',
    '[null,null,false,true]',
  ],
  ['[contains(1..3, 0), contains(1..3, 1), contains(1..=3, 4)]', '[false,true,false]'],
  ['[is_inclusive(1..=2), is_exclusive(1..=2)]', '[true,false]'],
  ['eval("fn h(x) { x * 2 }"); h(4)', '8'],
]

/** A value of `x`, a call, the result and `x` afterwards. */
const CHANGES: readonly (readonly [x: string, call: string, both: string])[] = [
  ['"aaa"', 'x.replace("aa", "b")', '[null,"ba"]'],
  ['"ab"', 'x.replace("", "c")', '[null,"ab"]'],
  ['"ab"', 'x.replace("c", "d")', '[null,"ab"]'],
  ['"ab"', 'x.pad(2, "c")', '[null,"ab"]'],
  ['"ab"', 'x.pad(9, "")', '[null,"ab"]'],
  ['"ab"', 'x.pad(5, "é😀")', '[null,"abé😀é"]'],
  ['"ab"', "x.pad(3, '😀')", '[null,"ab😀"]'],
  ['"ab"', 'x.pop(0)', '["","ab"]'],
  ['"ab"', 'x.pop(5)', '["ab",""]'],
  ['"ab"', 'x.pop(-1)', '["","ab"]'],
  ['""', 'x.pop()', '[null,""]'],
  ['"ab"', 'x.set(-1, "c")', '[null,"ac"]'],
  ['"ab"', 'x.set(5, "c")', '[null,"ab"]'],
  ['"ab"', 'x.remove("")', '[null,"ab"]'],
  ['"abcd"', 'x.crop(0..=1)', '[null,"ab"]'],
  ['"ab"', 'x.truncate(-1)', '[null,""]'],
  ['"ab"', 'x.truncate(9)', '[null,"ab"]'],
  ['"ab"', 'x.clear()', '[null,""]'],
  ['[1, 2]', 'x.set(-1, 9)', '[null,[1,9]]'],
  ['[1, 2]', 'x.set(5, 9)', '[null,[1,2]]'],
  ['[1, 2]', 'x.insert(9, 5)', '[null,[1,2,5]]'],
  ['[1, 2]', 'x.insert(-9, 5)', '[null,[5,1,2]]'],
  ['[]', 'x.pop()', '[null,[]]'],
  ['[]', 'x.shift()', '[null,[]]'],
  ['[1]', 'x.remove(5)', '[null,[1]]'],
  ['[1, 2]', 'x.truncate(0)', '[null,[]]'],
  ['[1, 2]', 'x.truncate(-1)', '[null,[]]'],
  ['[1, 2]', 'x.truncate(9)', '[null,[1,2]]'],
  ['[1, 2]', 'x.chop(-1)', '[null,[]]'],
  ['[1, 2]', 'x.chop(2)', '[null,[1,2]]'],
  ['[1, 2]', 'x.chop(9)', '[null,[1,2]]'],
  ['[1, 2]', 'x.pad(1, 0)', '[null,[1,2]]'],
  ['[1, 2, 3]', 'x.splice(1..2, [9])', '[null,[1,9,3]]'],
  ['[1, 2, 3]', 'x.splice(1, [9])', '[null,[1,9]]'],
  ['[1, 2]', 'x.splice(0, 0, [9])', '[null,[9,1,2]]'],
  ['[1, 2, 3]', 'x.split(-1)', '[[3],[1,2]]'],
  ['[1, 2]', 'x.split(9)', '[[],[1,2]]'],
  ['[1, 2, 3]', 'x.drain(1..2)', '[[2],[1,3]]'],
  ['[1, 2, 3]', 'x.retain(|v| v > 1)', '[[1],[2,3]]'],
  ['[1, 2, 3]', 'x.retain(0, 1)', '[[2,3],[1]]'],
  ['[1, 3, 2, 4, 5]', 'x.dedup(|a, b| a % 2 == b % 2)', '[null,[1,2,5]]'],
  ['[]', 'x.dedup()', '[null,[]]'],
  ['[1, 2]', 'x.append([])', '[null,[1,2]]'],
  ['#{a: 1}', 'x.remove("b")', '[null,{"a":1}]'],
  ['#{a: 1}', 'x.filter(|k, v| true)', '[{"a":1},{"a":1}]'],
  ['#{}', 'x.mixin(#{})', '[null,{}]'],
]

/** Calls with arguments of other types, or another number of them. */
const REFUSED: readonly string[] = [
  'abs(1, 2)',
  'is_odd(1.0)',
  'is_odd(1, 2)',
  'is_even(2, 2)',
  'min(1)',
  'min(1, 2, 3)',
  'min(true, false)',
  'max("a", 1)',
  'floor(1)',
  'floor(1.0, 2)',
  'to_int("1")',
  'to_int(1, 2)',
  'log(8.0, 2)',
  'log(8.0, 2.0, 3.0)',
  'log(8)',
  'hypot(3, 4.0)',
  'hypot(3.0, 4)',
  'hypot(3.0, 4.0, 5.0)',
  'PI(1)',
  'to_hex(1.0)',
  'to_hex(1, 2)',
  'parse_int(1)',
  'parse_int("1", "2")',
  'parse_int("1", 2, 3)',
  'parse_float(1)',
  'parse_float("1", 2)',
  'to_string(1, 2)',
  'to_debug()',
  'sub_string("abc", "a")',
  'sub_string("abc", 1.0)',
  'sub_string("abc", 0..1, 1)',
  'sub_string("abc", 0, "b")',
  '"a,b".split(",", "x")',
  '"ab".split([])',
  '"abc".index_of(1)',
  '"abc".index_of("a", "b")',
  '"ab".get("a")',
  '"ab".contains(1)',
  'to_upper("a", 1)',
  'to_upper(1)',
  'chars("a", "b")',
  'len("a", 1)',
  'let x = "ab"; x.replace("a", 1)',
  'let x = "ab"; x.pad("1", "a")',
  'let x = "ab"; x.pad(5, 1)',
  'let x = "ab"; x.pop("a")',
  'let x = "ab"; x.set("0", "a")',
  'let x = "ab"; x.set(0, 1)',
  'let x = "ab"; x.truncate("a")',
  'let x = [1]; x.set("0", 1)',
  'let x = [1]; x.append(1)',
  'let x = [1]; x.insert("0", 1)',
  'let x = [1]; x.remove("0")',
  'let x = [1]; x.truncate("0")',
  'let x = [1]; x.chop("0")',
  'let x = [1]; x.pad("3", 0)',
  'let x = [1]; x.splice(1, 1, 9)',
  'let x = [1]; x.splice("1", [9])',
  'let x = [1]; x.drain("a")',
  'let x = [1]; x.dedup(1)',
  '[1].get("0")',
  '[1].extract("a")',
  '[1].split("a")',
  '[1].map(1)',
  '[1].reduce(1)',
  '[1].index_of(1, "a")',
  '[1, 2.0].order()',
  '[[1], [2]].order()',
  '[1].order_by(1)',
  'contains(#{a: 1}, 1)',
  '#{a: 1}.get(1)',
  'let x = #{a: 1}; x.set(1, 2)',
  'let x = #{a: 1}; x.remove(1)',
  'let x = #{a: 1}; x.fill_with(1)',
  '#{a: 1}.filter(1)',
  '#{a: 1}.keys(1)',
  'type_of(1, 2)',
  'sleep("a")',
  'sleep(1, 2)',
  'print(1, 2)',
  'debug(1, 2)',
  'Fn(1)',
  'range(0, "a")',
  'range(0, 1, "a")',
  'range(0, 1, 2, 3)',
  'contains(1..3, "a")',
  'blob("a")',
  'blob(1, "a")',
  'blob(1, 2, 3)',
  'is_def_fn("g")',
  'is_def_var(1)',
  'eval(1)',
  'to_json([1])',
  'parse_json(1)',
]

/** A fault with its kind and, without the place of the call, its message. */
const FAULTS: readonly (readonly [expression: string, kind: string, text: string])[] = [
  [
    'to_int(9223372036854775807.0)',
    'ErrorArithmetic',
    'Integer overflow: to_int(9223372036854776000)',
  ],
  ['to_int(-1e19)', 'ErrorArithmetic', 'Integer overflow: to_int(-10000000000000000000)'],
  ['parse_int("1", 37)', 'ErrorArithmetic', "Invalid radix: '37'"],
  ['parse_int("1", 1)', 'ErrorArithmetic', "Invalid radix: '1'"],
  [
    'parse_int("")',
    'ErrorParsing',
    "Error parsing integer number '': cannot parse integer from empty string",
  ],
  [
    'parse_int("  ")',
    'ErrorParsing',
    "Error parsing integer number '  ': cannot parse integer from empty string",
  ],
  [
    'parse_int("-")',
    'ErrorParsing',
    "Error parsing integer number '-': invalid digit found in string",
  ],
  [
    'parse_int("2", 2)',
    'ErrorParsing',
    "Error parsing integer number '2': invalid digit found in string",
  ],
  [
    'parse_int("1.5")',
    'ErrorParsing',
    "Error parsing integer number '1.5': invalid digit found in string",
  ],
  [
    'parse_int("-9223372036854775809")',
    'ErrorParsing',
    "Error parsing integer number '-9223372036854775809': number too small to fit in target type",
  ],
  [
    'parse_int("9223372036854775808")',
    'ErrorParsing',
    "Error parsing integer number '9223372036854775808': number too large to fit in target type",
  ],
  [
    'parse_float("")',
    'ErrorParsing',
    "Error parsing floating-point number '': cannot parse float from empty string",
  ],
  [
    'parse_float(" ")',
    'ErrorParsing',
    "Error parsing floating-point number ' ': cannot parse float from empty string",
  ],
  [
    'parse_float("1e")',
    'ErrorParsing',
    "Error parsing floating-point number '1e': invalid float literal",
  ],
  [
    'parse_float(".")',
    'ErrorParsing',
    "Error parsing floating-point number '.': invalid float literal",
  ],
  ['blob(10001)', 'ErrorDataTooLarge', 'Size of array/BLOB too large'],
  ['eval("1 +")', 'ErrorParsing', 'Syntax error: Script is incomplete (line 1, position 4)'],
  ['parse_json("{")', 'ErrorParsing', 'Syntax error: the text is not JSON'],
  ['abs(-9223372036854775808)', 'ErrorArithmetic', 'Negation overflow: --9223372036854775808'],
]

describe('a function', () => {
  it.each(VALUES)('%s', (expression, value) => expect(resultOf(expression)).toBe(value))

  it.each(CHANGES)('on %s: %s', (x, call, both) => {
    expect(resultOf(`let x = ${x}; let r = ${call}; [r, x]`)).toBe(both)
  })

  it.each(REFUSED)('does not accept %s', (expression) => {
    expect(resultOf(expression)).toBe('fault: ErrorFunctionNotFound')
  })

  it.each(FAULTS)('fails in %s', (expression, kind, text) => {
    expect(() => compileScript(expression).run([], () => undefined)).toThrow(
      expect.objectContaining({ kind, text }),
    )
  })

  it.each(['parse_int(digits(1000) + "7")', 'parse_float(digits(1001))'])('fails in %s', (call) => {
    expect(resultOf(call)).toBe('fault: ErrorParsing')
  })
})

describe('a script', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}1${')'.repeat(depth)}`
  const compiled = (script: string) => () => compileScript(script)

  it('has a bounded length, and bounded nesting', () => {
    expect(compiled('1'.padStart(SCRIPT_LENGTH_MAX))).not.toThrow()
    expect(compiled('1'.padStart(SCRIPT_LENGTH_MAX + 1))).toThrow('longer than')
    // The number is an expression too.
    expect(compiled(nested(NESTING_MAX - 1))).not.toThrow()
    expect(compiled(nested(NESTING_MAX))).toThrow('exceeds maximum complexity')
  })
})
