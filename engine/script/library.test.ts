// The library of scripts: an example for every function, the page that lists them, and properties:
// any call ends with a value or a fault, and only listed functions change their arguments.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ScriptFault } from './language/faults.ts'
import { writeJson } from './language/index.ts'
import * as limits from './language/limits.ts'
import type { Value } from './language/values.ts'
import { CHANGING_FUNCTIONS } from './language/words.table.ts'
import { NATIVES } from './library.ts'
import { compileScript } from './script.ts'

/** Returns the value of an expression as JSON, or `fault: ` and its kind. */
function resultOf(script: string): string {
  try {
    return writeJson(compileScript(script).run([], () => undefined))
  } catch (error) {
    if (error instanceof ScriptFault) return `fault: ${error.kind}`
    throw error
  }
}

/** `let x = …;` and then the call, in one value: the result and `x` afterwards. */
const onX = (x: string, call: string): string => resultOf(`let x = ${x}; let r = ${call}; [r, x]`)

/** Expressions and their values; the name of each called function counts as covered. */
const VALUES: readonly (readonly [expression: string, value: string])[] = [
  ['[abs(-3), abs(3), (-2.5).abs()]', '[3,3,2.5]'],
  ['abs(-9223372036854775807 - 1)', 'fault: ErrorArithmetic'],
  ['[sign(-3), sign(0), (2.5).sign()]', '[-1,0,1]'],
  ['[is_zero(0), is_zero(0.0), is_zero(1)]', '[true,true,false]'],
  ['[is_odd(3), is_odd(-3), is_even(3), is_even(0)]', '[true,true,false,true]'],
  ['[min(2, 1), max(2, 1), min(2, 1.5), max(2, 1.5), min("b", "a")]', '[1,2,1.5,2.0,"a"]'],
  ['min(1, "a")', 'fault: ErrorFunctionNotFound'],
  ['[floor(-1.5), ceiling(-1.5), int(-1.5), fraction(-1.5)]', '[-2.0,-1.0,-1.0,-0.5]'],
  ['[round(0.5), round(-0.5), round(2.4), round(-2.6)]', '[1.0,-1.0,2.0,-3.0]'],
  ['[is_nan(0.0 / 0.0), is_finite(1.0), is_infinite(1.0 / 0.0)]', '[true,true,true]'],
  ['[to_int(2.9), to_int(-2.9), to_int(7), to_float(7)]', '[2,-2,7,7.0]'],
  ['to_int(1e300)', 'fault: ErrorArithmetic'],
  ['[to_degrees(PI()), to_radians(180.0) == PI(), E() > 2.7]', '[180.0,true,true]'],
  ['[sqrt(9.0), exp(0.0), ln(1.0), log(100.0), log(8.0, 2.0)]', '[3.0,1.0,0.0,2.0,3.0]'],
  ['[sin(0.0), cos(0.0), tan(0.0), asin(0.0), acos(1.0), atan(0.0)]', '[0.0,1.0,0.0,0.0,0.0,0.0]'],
  ['[sinh(0.0), cosh(0.0), tanh(0.0), hypot(3.0, 4.0)]', '[0.0,1.0,0.0,5.0]'],
  ['[to_hex(255), to_octal(8), to_binary(5), to_hex(-1)]', '["ff","10","101","ffffffffffffffff"]'],
  ['[parse_int(" 12 "), parse_int("-ff", 16), parse_float("1.5e1")]', '[12,-255,15.0]'],
  ['parse_int("9223372036854775808")', 'fault: ErrorParsing'],
  ['parse_int("1", 1)', 'fault: ErrorArithmetic'],
  ['parse_float("1,5")', 'fault: ErrorParsing'],
  ['[to_string(1.0), to_string([1, "a"]), to_debug("a")]', '["1.0","[1, \\"a\\"]","\\"a\\""]'],
  ['[len("né😀"), bytes("né😀"), len([1, 2]), len(#{a: 1}), len(blob(3))]', '[3,7,2,1,3]'],
  ['[is_empty(""), is_empty([]), is_empty(#{a: 1})]', '[true,true,false]'],
  ['let t = ""; for c in chars("ab") { t += c; } t', '"ab"'],
  ['[to_chars("ab"), to_upper("aé"), to_lower("AÉ")]', '[["a","b"],"AÉ","aé"]'],
  ['[contains("abc", "b"), contains([1, [2]], [2]), contains(#{a: 1}, "a")]', '[true,true,true]'],
  ['[contains(1..3, 3), contains(1..=3, 3)]', '[false,true]'],
  ['[starts_with("abc", "ab"), ends_with("abc", "b")]', '[true,false]'],
  ['[index_of("a😀b", "b"), index_of("aba", "a", 1), index_of([5, 6], 6)]', '[2,2,1]'],
  [
    '[sub_string("a😀bc", 1, 2), sub_string("abc", -2), sub_string("abc", 1..=1)]',
    '["😀b","bc","b"]',
  ],
  [
    '[split("a b  c"), split("a,b,c", ",", 2), split("abc", 1)]',
    '[["a","b","c"],["a","b,c"],["a","bc"]]',
  ],
  ['split_rev("a,b,c", ",", 2)', '["c","a,b"]'],
  ['[get("ab", -1), get("ab", 5), get([1], 0), get(#{a: 1}, "b")]', '["b",null,1,null]'],
  ['[extract([1, 2, 3], 1), extract([1, 2, 3], 0..2), extract([1], 5)]', '[[2,3],[1,2],[]]'],
  ['[[1, 2].map(|x| x * 2), [1, 2].filter(|x, i| i == 1)]', '[[2,4],[2]]'],
  ['[[1, 2].all(|x| x > 1), [1, 2].some(|x| x > 1), [1, 2].find(|x| x > 1)]', '[false,true,2]'],
  ['[1, 2].find_map(|x| if x > 1 { x * 10 } else { () })', '20'],
  ['[[1, 2, 3].reduce(|s, x| s + x, 0), ["a", "b"].reduce_rev(|s, x| s + x, "")]', '[6,"ba"]'],
  ['[[3, 1].order(), [1, 3].order_desc(), [1, 2].order_by(|a, b| b - a)]', '[[1,3],[3,1],[2,1]]'],
  ['[1, "a"].order()', 'fault: ErrorFunctionNotFound'],
  [
    '[#{b: 1, a: 2}.keys(), #{b: 1, a: 2}.values(), #{b: 1}.to_json()]',
    '[["a","b"],[2,1],"{\\"b\\":1}"]',
  ],
  [
    '[type_of(1), type_of("a"), type_of(()), type_of(1..2), type_of(\'c\')]',
    '["i64","string","()","range","char"]',
  ],
  ['let s = 0; for i in range(5, 0, -2) { s = s * 10 + i; } s', '531'],
  [
    '[start(1..3), Fn("end").call(1..3), is_inclusive(1..3), is_exclusive(1..3)]',
    '[1,3,false,true]',
  ],
  ['[blob(2, 300), blob()]', '[[44,44],[]]'],
  ['parse_json("{\\"a\\": [1, 1.5, null]}")', '{"a":[1,1.5,null]}'],
  ['parse_json("{")', 'fault: ErrorParsing'],
  ['eval("let q = 2; q * 3")', '6'],
  ['fn f(a) { a + 1 } [Fn("f").call(1), Fn("f").name(), Fn("f").is_anonymous()]', '[2,"f",false]'],
  [
    'let y = 1; fn g() { } [is_def_var("y"), is_def_var("z"), is_def_fn("g", 0)]',
    '[true,false,true]',
  ],
  ['[print("x"), debug(1), sleep(1000000)]', '[null,null,null]'],
]

/** Functions that change `x`: its value, the call, the result and `x` afterwards. */
const CHANGES: readonly (readonly [x: string, call: string, both: string])[] = [
  ['[1]', 'x.push(2)', '[null,[1,2]]'],
  ['[1]', 'x.append([2, 3])', '[null,[1,2,3]]'],
  ['"a"', 'x.append("b")', '[null,"ab"]'],
  ['[1, 2]', 'x.insert(1, 9)', '[null,[1,9,2]]'],
  ['[1, 2]', 'x.insert(-1, 9)', '[null,[1,9,2]]'],
  ['[1, 2]', 'x.pop()', '[2,[1]]'],
  ['"a😀"', 'x.pop()', '["😀","a"]'],
  ['"abc"', 'x.pop(2)', '["bc","a"]'],
  ['[1, 2]', 'x.shift()', '[1,[2]]'],
  ['[1, 2]', 'x.remove(-1)', '[2,[1]]'],
  ['#{a: 1, b: 2}', 'x.remove("a")', '[1,{"b":2}]'],
  ['"abab"', 'x.remove("a")', '[null,"bb"]'],
  ['[1, 2]', 'x.reverse()', '[null,[2,1]]'],
  ['[1, 2]', 'x.clear()', '[null,[]]'],
  ['#{a: 1}', 'x.clear()', '[null,{}]'],
  ['[1, 2, 3]', 'x.truncate(2)', '[null,[1,2]]'],
  ['"a😀b"', 'x.truncate(2)', '[null,"a😀"]'],
  ['[1, 2, 3]', 'x.chop(2)', '[null,[2,3]]'],
  ['[1]', 'x.pad(3, 0)', '[null,[1,0,0]]'],
  ['"a"', 'x.pad(4, "bc")', '[null,"abcb"]'],
  ['[1, 2, 3]', 'x.splice(1, 1, [8, 9])', '[null,[1,8,9,3]]'],
  ['[1, 2, 3]', 'x.split(1)', '[[2,3],[1]]'],
  ['[1, 2, 3]', 'x.drain(|v| v > 1)', '[[2,3],[1]]'],
  ['[1, 2, 3]', 'x.drain(0, 1)', '[[1],[2,3]]'],
  ['#{a: 1, b: 2}', 'x.drain(|k, v| v > 1)', '[{"b":2},{"a":1}]'],
  ['[1, 2, 3]', 'x.retain(1..=2)', '[[1],[2,3]]'],
  ['#{a: 1, b: 2}', 'x.retain(|k, v| v > 1)', '[{"a":1},{"b":2}]'],
  ['[1, 2]', 'x.for_each(|| this += 5)', '[null,[6,7]]'],
  ['[1, 1, 2, 1]', 'x.dedup()', '[null,[1,2,1]]'],
  ['[2, 1]', 'x.sort()', '[null,[1,2]]'],
  ['[1, 2]', 'x.sort_by(|a, b| b - a)', '[null,[2,1]]'],
  ['[1, 2]', 'x.sort_desc()', '[null,[2,1]]'],
  ['[1]', 'x.set(0, 5)', '[null,[5]]'],
  ['"ab"', 'x.set(1, "é")', '[null,"aé"]'],
  ['#{}', 'x.set("a", 1)', '[null,{"a":1}]'],
  ['#{a: 1}', 'x.mixin(#{a: 2, b: 3})', '[null,{"a":2,"b":3}]'],
  ['#{a: 1}', 'x.fill_with(#{a: 2, b: 3})', '[null,{"a":1,"b":3}]'],
  ['#{a: 1}', 'x.map(|k, v| k + v)', '[{"a":"a1"},{"a":1}]'],
  ['" a "', 'x.trim()', '[null,"a"]'],
  ['"aé"', 'x.make_upper()', '[null,"AÉ"]'],
  ['"AÉ"', 'x.make_lower()', '[null,"aé"]'],
  ['"aab"', 'x.replace("a", "$&")', '[null,"$&$&b"]'],
  ['"abc"', 'x.crop(1, 1)', '[null,"b"]'],
]

describe('every function', () => {
  it.each(VALUES)('%s', (expression, value) => expect(resultOf(expression)).toBe(value))

  it.each(CHANGES)('on %s: %s', (x, call, both) => expect(onX(x, call)).toBe(both))

  it('has an example', () => {
    const text = [...VALUES.map(([expression]) => expression), ...CHANGES.map(([, c]) => c)].join()
    const called = new Set([...text.matchAll(/\w+(?=\()|(?<=Fn\(")\w+/g)].map(([name]) => name))
    expect([...NATIVES.keys()].filter((name) => !called.has(name))).toEqual([])
  })
})

describe('SCRIPT.md', () => {
  const page = readFileSync(new URL('./SCRIPT.md', import.meta.url), 'utf8')

  it('lists the functions of the library', () => {
    const rows = page.slice(page.indexOf('## The library'), page.indexOf('A function argument'))
    const listed = [...rows.matchAll(/`([^`]+)`/g)].flatMap(([, names]) => names!.split(' '))
    const known = new Set([...NATIVES.keys(), 'call', 'curry'])
    expect([...new Set(listed)].sort()).toEqual([...known].sort())
  })

  it('has the limits that hold', () => {
    const count = (value: number): string => value.toLocaleString('en')
    const table = page.slice(page.indexOf('## Limits of a run'))
    for (const text of [
      `${limits.SCRIPT_LENGTH_MAX / 1024} KiB`,
      `${limits.NESTING_MAX} nested expressions`,
      `${limits.FUNCTIONS_MAX} functions`,
      `${count(limits.VARIABLES_MAX)} variables`,
      `| ${count(limits.STEPS_MAX)};`,
      `${count(limits.ARRAY_LENGTH_MAX)} elements, ${count(limits.MAP_SIZE_MAX)} members`,
      `${limits.VALUE_DEPTH_MAX} levels`,
      `${limits.STRING_LENGTH_MAX / 2 ** 20} Mi characters`,
      `${limits.MEMORY_MAX / 2 ** 20} Mi elements and characters`,
      `| ${limits.RUN_MS_MAX / 1000} seconds for one document`,
    ]) {
      expect(table).toContain(text)
    }
  })
})

const VALUE_TEXTS = ['()', 'true', '0', '-1', '3', '2.5', '""', '"aé😀"', "'c'", '[]', '[2, 1]']
const OTHER_TEXTS = ['["b", "a"]', '#{}', '#{a: 1}', '0..2', '1..=9', 'blob(2)', 'range(0, 3)']
const anyValue = fc.constantFrom(
  ...VALUE_TEXTS,
  ...OTHER_TEXTS,
  '|v| true',
  '|a, b| a',
  'Fn("len")',
)

describe('any call', () => {
  it('ends with a value or a fault, and changes at most a receiver that it may change', () => {
    const names = [...NATIVES.keys()].filter((name) => name !== 'eval' && name !== 'end')
    const call = fc.tuple(fc.constantFrom(...names), fc.array(anyValue, { maxLength: 3 }))
    const seen = { values: 0, faults: 0 }
    fc.assert(
      fc.property(call, ([name, args]) => {
        const lets = args.map((arg, i) => `let v${i} = ${arg};`).join(' ')
        const shown = args.map((_, i) => `to_debug(v${i})`).join(', ')
        const variables = args.map((_, i) => `v${i}`).join(', ')
        const after = resultOf(`${lets} let r = ${name}(${variables}); [${shown}]`)
        seen[after.startsWith('fault') ? 'faults' : 'values']++
        if (after.startsWith('fault')) return
        const before = resultOf(`${lets} [${shown}]`)
        const [first, ...others] = JSON.parse(after) as string[]
        const [firstBefore, ...othersBefore] = JSON.parse(before) as string[]
        expect([name, args, others]).toEqual([name, args, othersBefore])
        if (!CHANGING_FUNCTIONS.has(name)) expect([name, first]).toEqual([name, firstBefore])
      }),
      { numRuns: 900 },
    )
    expect(Math.min(seen.values, seen.faults)).toBeGreaterThan(30)
  })

  it('refuses to change a constant', () => {
    for (const [x, call] of CHANGES) {
      const name = /\.(\w+)/.exec(call)![1]!
      const isKept = name === 'map'
      const value = resultOf(`const x = ${x}; ${call}; x`)
      expect([x, call, value === 'fault: ErrorAssignmentToConstant']).toEqual([x, call, !isKept])
    }
  })

  it('addresses strings and arrays by the same ranges as a list of their elements', () => {
    const letters = fc.array(fc.constantFrom('a', 'é', '😀', '本'), { maxLength: 6 })
    const position = fc.integer({ min: -8, max: 8 })
    fc.assert(
      fc.property(letters, position, fc.option(position), (all, start, length) => {
        const from = start < 0 ? Math.max(0, all.length + start) : Math.min(start, all.length)
        const to = length === null ? all.length : from + Math.max(0, length)
        const part = all.slice(from, to)
        const args = length === null ? `${start}` : `${start}, ${length}`
        const [text, list] = [JSON.stringify(all.join('')), JSON.stringify(all)]
        const expected: Value[] = [part.join(''), part.join('')]
        const joined = `${list}.extract(${args}).reduce(|s, c| s + c, "")`
        expect(resultOf(`[${text}.sub_string(${args}), ${joined}]`)).toBe(JSON.stringify(expected))
      }),
      { numRuns: 150 },
    )
  })
})
