// Calls of functions by name, as values and as methods; chains with optional links; matches of cases;
// and that jumps leave no levels of a run behind.
import { expect, it } from 'vitest'
import { writeJson } from '../language/index.ts'
import { ARRAY_LENGTH_MAX } from '../language/limits.ts'
import { compileScript } from '../script.ts'

const resultOf = (script: string): string =>
  writeJson(compileScript(script).run([], () => undefined))

it.each([
  // A function gets as many of the element and its index as it has parameters, or `this`.
  ['fn f(x) { x + 1 } [1, 2].map(Fn("f"))', '[2,3]'],
  ['fn f(x, i) { x * i } [5, 6].map(Fn("f"))', '[0,6]'],
  ['fn f(x) { 1 } fn f(x, i) { 2 } [5].map(Fn("f"))', '[2]'],
  ['fn f() { 0 } fn f(x) { 1 } [5].map(Fn("f"))', '[1]'],
  ['fn f() { this + 1 } [5].map(Fn("f"))', '[6]'],
  ['fn f(x, y) { x * 10 + y } [5].map(Fn("f").curry(7))', '[75]'],
  ['fn f(x, y, i) { x * 10 + y + i } [5, 5].map(Fn("f").curry(7))', '[75,76]'],
  ['[5, 6].map(|x, y| x * 10 + y)', '[50,61]'],
  ['[5].map((|x, y, i| x * 10 + y + i).curry(7))', '[75]'],
  ['[-1, 2].map(Fn("abs"))', '[1,2]'],
  ['[1, 3, 2].reduce(Fn("max"), 0)', '3'],
  ['fn f(s, x) { s * 10 + x } [1, 2].reduce(Fn("f"), 0)', '12'],
  // `call` and `curry`, as functions and as methods.
  ['call(|x| x + 1, 2)', '3'],
  ['curry(|x, y| x - y, 5).call(2)', '3'],
  ['(|x, y| x - y).curry(5).call(2)', '3'],
  ['Fn("min").call(2, 1)', '1'],
  ['Fn("min").curry(2).call(1)', '1'],
  // Methods: of the script, of a member, of the library.
  ['fn m(a) { this + a } let x = 5; x.m(2)', '7'],
  ['fn len() { 9 } let x = "ab"; [x.len(), len(x)]', '[9,2]'],
  ['let x = #{len: |y| y * 2}; x.len(4)', '8'],
  ['let x = #{f: Fn("len"), g: 1}; x.f()', '2'],
  ['let x = #{a: 1}; x.len()', '1'],
  ['let x = [2, 1]; sort(x); x', '[1,2]'],
  ['let x = [[2, 1]]; sort(x[0]); x', '[[2,1]]'],
  ['fn f() { reverse(this); this } let x = [1, 2]; [x.f(), x]', '[[2,1],[2,1]]'],
  // Optional links.
  ['let a = (); [a?.b, a?[0], a?.b.c, a?.f(nope)]', '[null,null,null,null]'],
  ['let a = #{b: #{c: [1]}}; [a?.b?.c?[0], a.x?.y, a.b.x]', '[1,null,null]'],
  ['let r = 2..=5; [r.start, r.end]', '[2,5]'],
  ['[to_debug(..3), to_debug(2..), to_debug(..=1)]', '["0..3","2..9223372036854775807","0..=1"]'],
  // Cases.
  ['switch 1 { 1.0 => 2, _ => 3 }', '3'],
  ['switch 5 { 1..5 => 1, 3..=5 if false => 2, 3..=5 => 4, _ => 5 }', '4'],
  ['switch "a" { "b" | "a" => 1, _ => 2 }', '1'],
  ['switch 9 { 1 => 2 }', 'null'],
  // Values without an order, and equal ones.
  [
    'let n = 0.0 / 0.0; [n < 1.0, n >= 1.0, () < (), () <= (), true > false]',
    '[false,false,false,true,true]',
  ],
  ['let a = [1]; a += 2; a += [3, 4]; a', '[1,2,3,4]'],
  ['let a = #{b: [1]}; a.b += 2; a.c = 3; a', '{"b":[1,2],"c":3}'],
  ['let s = 0; for (x, i) in [5, 6, 7] { s = s * 100 + x * i } s', '614'],
])('%s is %s', (script, value) => {
  expect(resultOf(script)).toBe(value)
})

it.each([
  'let i = 0; while i < 2000 { i += 1; if true { { continue } } } i',
  'let i = 0; while i < 2000 { i += 1; while true { { { break } } } } i',
  'fn f() { if true { { return 1 } } } let i = 0; while i < 2000 { f(); i += 1 } i',
  'let f = || if true { { return 1 } }; let i = 0; while i < 2000 { f.call(); i += 1 } i',
  'let i = 0; while i < 2000 { try { { { throw 1 } } } catch { } i += 1 } i',
  'fn f() { throw 1 } let i = 0; while i < 2000 { try { f() } catch { } i += 1 } i',
])('%s leaves no level behind', (script) => {
  expect(resultOf(script)).toBe('2000')
})

it('a list that is written out has the limit of others', () => {
  const list = (items: number): string => `[${'0,'.repeat(items)}].len()`
  expect(resultOf(list(ARRAY_LENGTH_MAX))).toBe(String(ARRAY_LENGTH_MAX))
  expect(() => resultOf(list(ARRAY_LENGTH_MAX + 1))).toThrow('Size of array/BLOB too large')
})
