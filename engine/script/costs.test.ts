// The work and the memory that a run counts for functions and operators on large values: without
// these counts, small scripts could take hours or gigabytes. And the limits of their results.
import { expect, it, vi } from 'vitest'
import { type Cell, readJsonText } from './language/index.ts'
import { ARRAY_LENGTH_MAX, MAP_SIZE_MAX } from './language/limits.ts'
import { Meter } from './language/meter.ts'
import { compileScript } from './script.ts'

/** Units of the string `s`, elements of the array `a`, members of the map `m`. */
const SIZE = 160
const NUMBERS = Array.from({ length: SIZE }, (_, i) => i)
const VALUES = {
  s: 'a'.repeat(SIZE),
  a: NUMBERS,
  m: Object.fromEntries(NUMBERS.map((i) => [`k${i}`, i])),
  t: ['ab', 'ac', 'abc'],
}

const cellsOf = (values: object): Cell[] =>
  Object.entries(values).map(([name, value]) => ({
    name,
    value: readJsonText(JSON.stringify(value))!,
    isConstant: false,
  }))

/** `touched` and `built` are sums of elements and characters. */
it.each<readonly [script: string, touched: number, built: number]>([
  ['s.len()', 160, 0],
  ['s.bytes()', 160, 0],
  ['s.to_chars()', 160, 160],
  ['chars(s)', 160, 0],
  ['s.to_upper()', 160, 160],
  ['to_lower(s)', 160, 160],
  ['s.trim()', 160, 161],
  ['s.make_upper()', 160, 161],
  ['s.contains("b")', 160, 0],
  ['s.index_of("b")', 160, 0],
  ['s.sub_string(5)', 160, 156],
  ['s.split("a")', 160, 321],
  ['s.split()', 160, 161],
  ['s.split(4)', 160, 162],
  ['s.split_rev("b")', 160, 161],
  ['s.get(0)', 160, 0],
  ['s.set(0, "b")', 160, 161],
  ['s.append("b")', 160, 162],
  ['s.replace("a", "bc")', 160, 321],
  ['s.remove("a")', 160, 1],
  ['s.crop(1)', 160, 160],
  ['s.truncate(5)', 160, 6],
  ['s.clear()', 160, 1],
  ['s.pad(200, "b")', 160, 201],
  ['s.pop()', 160, 0],
  ['s.pop(2)', 160, 3],
  ['s[1]', 160, 0],
  ['s[0..2]', 320, 3],
  ['s + "b"', 0, 2],
  ['"b" + s', 0, 2],
  ['s - "a"', 160, 0],
  ['s - ""', 160, 0],
  ['s == s', 322, 0],
  ['s < "b"', 2, 0],
  ['"b" in s', 161, 0],
  [`\`\${s}\``, 0, 161],
  ['to_string(s)', 0, 160],
  ['to_debug(s)', 0, 162],
  ['a.len()', 0, 0],
  ['a.append(a)', 320, 161],
  ['a.reverse()', 160, 0],
  ['a.pad(170, 0)', 160, 0],
  ['a.splice(0, 1, [1])', 160, 2],
  ['a.extract(100)', 160, 0],
  ['a.split(100)', 160, 0],
  ['a.drain(0, 10)', 160, 0],
  ['a.retain(0, 10)', 160, 0],
  ['a.for_each(|x| 0)', 160, 0],
  ['a.map(|x| 0)', 160, 0],
  ['a.filter(|x| true)', 160, 0],
  ['a.all(|x| true)', 160, 0],
  ['a.some(|x| false)', 160, 0],
  ['a.find(|x| false)', 160, 0],
  ['a.find_map(|x| ())', 160, 0],
  ['a.index_of(3)', 321, 0],
  ['a.contains(3)', 321, 0],
  ['a.reduce(|x, y| 0)', 160, 0],
  ['a.reduce_rev(|x, y| 0)', 160, 0],
  ['a.dedup()', 321, 0],
  ['a.dedup(|x, y| true)', 321, 0],
  ['a.sort()', 1440, 0],
  ['a.sort(|x, y| 0)', 1440, 0],
  ['a.order()', 1440, 0],
  ['a.order_by(|x, y| 0)', 1440, 0],
  ['a.sort_desc()', 1440, 0],
  ['a.order_desc()', 1440, 0],
  ['t.sort()', 23, 0],
  ['t.index_of(1)', 14, 0],
  ['a + a', 640, 321],
  ['a == a', 322, 0],
  ['3 in a', 161, 0],
  ['let b = a', 160, 161],
  ['a[0]', 0, 0],
  ['[a, a]', 320, 325],
  ['a.to_string()', 0, 690],
  ['to_debug(a)', 0, 690],
  ['m.len()', 160, 0],
  ['m.get("k1")', 160, 0],
  ['m.set("x", 1)', 160, 0],
  ['m.remove("k1")', 160, 0],
  ['m.clear()', 160, 0],
  ['m.keys()', 160, 0],
  ['m.values()', 160, 0],
  ['m.mixin(#{x: 1})', 160, 2],
  ['m.fill_with(#{x: 1})', 160, 2],
  ['m.map(|k, v| v)', 160, 0],
  ['m.filter(|k, v| true)', 160, 0],
  ['m.drain(|k, v| true)', 160, 0],
  ['m.retain(|k, v| true)', 160, 0],
  ['m.contains("k1")', 160, 0],
  ['m.to_json()', 1541, 1541],
  ['m + m', 640, 641],
  ['m == m', 1382, 0],
  ['"k1" in m', 691, 0],
  ['#{a: 1, b: 2}', 0, 3],
  ['[1, 2]', 0, 3],
  ['let n = m', 640, 641],
  ['parse_json("[1, 2, 3, 4, 5, 6, 7, 8, 9]")', 27, 27],
  ['eval("1 + 2 + 3 + 4 + 5 + 6 + 7 + 8")', 29, 0],
  ['to_string(12345)', 0, 5],
  ['3 in 1..9', 1, 0],
])('%s touches %i and builds %i', (script, touched, built) => {
  const touch = vi.spyOn(Meter.prototype, 'touch')
  const build = vi.spyOn(Meter.prototype, 'build')
  try {
    compileScript(script).run(cellsOf(VALUES), () => undefined)
    const [work, memory] = [touch, build].map(({ mock }) =>
      mock.calls.reduce((sum, [count]) => sum + count, 0),
    )
    expect([work, memory]).toEqual([touched, built])
  } finally {
    touch.mockRestore()
    build.mockRestore()
  }
})

const TOO_LONG = 'Size of array/BLOB too large'
const TOO_MANY = 'Size of object map too large'

/** Scripts on a string, an array and a map of `size` units, elements and members. */
it.each<readonly [script: string, sizeMax: number, fault: string]>([
  ['s.to_chars()', ARRAY_LENGTH_MAX, TOO_LONG],
  // One piece before the first character, and one behind the last.
  ['s.split("")', ARRAY_LENGTH_MAX - 2, TOO_LONG],
  ['a.push(1)', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  ['a.insert(0, 1)', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  ['a.append([1, 2])', ARRAY_LENGTH_MAX - 2, TOO_LONG],
  ['a += [1]', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  ['a += 1', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  ['a + [1]', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  // The elements that it removes count, too.
  ['a.splice(0, 5, [1])', ARRAY_LENGTH_MAX - 1, TOO_LONG],
  ['m.x = 1', MAP_SIZE_MAX - 1, TOO_MANY],
  ['m["x"] = 1', MAP_SIZE_MAX - 1, TOO_MANY],
  ['m.set("x", 1)', MAP_SIZE_MAX - 1, TOO_MANY],
  ['m + #{x: 1}', MAP_SIZE_MAX - 1, TOO_MANY],
  ['m.mixin(#{x: 1})', MAP_SIZE_MAX - 1, TOO_MANY],
  ['m.fill_with(#{x: 1})', MAP_SIZE_MAX - 1, TOO_MANY],
])('%s is possible up to the size %i', (script, sizeMax, fault) => {
  const run = (size: number) => {
    const numbers = Array.from({ length: size }, (_, i) => i)
    const m = Object.fromEntries(numbers.map((i) => [`k${i}`, i]))
    const cells = cellsOf({ s: 'b'.repeat(size), a: numbers, m })
    return () => compileScript(script).run(cells, () => undefined)
  }
  expect(run(sizeMax)).not.toThrow()
  expect(run(sizeMax + 1)).toThrow(expect.objectContaining({ text: fault }))
})
