// The language beyond the recordings: values are copied, limits hold, any text is a script or a
// fault, and arithmetic uses 64 bits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonText, ScriptFault, ScriptSyntaxError, writeJson } from './language/index.ts'
import { RUN_MS_MAX, SCRIPT_LENGTH_MAX, STEPS_MAX } from './language/limits.ts'
import type { Value } from './language/values.ts'
import { compileScript } from './script.ts'

/** Returns the value of a script as JSON, or the text of its fault. */
function valueOfScript(text: string, doc: Value = null): string {
  try {
    const cell = { name: 'doc', value: doc, isConstant: false }
    return writeJson(compileScript(text).run([cell], () => undefined))
  } catch (error) {
    if (error instanceof ScriptFault || error instanceof ScriptSyntaxError) return error.message
    throw error
  }
}

/** `[script, value or fault]` */
type Case = readonly [string, string]

const holds = (cases: readonly Case[]): void => {
  for (const [text, value] of cases) expect([text, valueOfScript(text)]).toEqual([text, value])
}

describe('values', () => {
  it('are copied when they are stored', () => {
    holds([
      ['let a = [1]; let b = a; b.push(2); a', '[1]'],
      ['let a = [[1]]; let b = a[0]; b.push(2); a', '[[1]]'],
      ['let a = #{x: [1]}; let b = a.x; b.push(2); a', '{"x":[1]}'],
      ['let a = [1]; let b = [a, a]; b[0].push(2); [a, b]', '[[1],[[1,2],[1]]]'],
      ['let a = [1]; let m = #{a: a}; m.a.push(2); a', '[1]'],
      ['let a = [[1]]; let b = a + [[2]]; b[0].push(3); a', '[[1]]'],
      ['let a = [[1]]; for x in a { x.push(2) } a', '[[1]]'],
      ['let a = [[1]]; a.map(|x| { x.push(2); x }); a', '[[1]]'],
      ['let a = [[1]]; let b = a.filter(|x| true); b[0].push(2); a', '[[1]]'],
      ['fn f(x) { x.push(2); x } let a = [1]; [f(a), a]', '[[1,2],[1]]'],
      ['let a = [1]; let b = if true { a } else { 0 }; b.push(2); a', '[1]'],
      ['let a = #{}; a.self = a; a', '{"self":{}}'],
      ['let a = [1]; a.push(a); a', '[1,[1]]'],
      ['let a = []; push(a, 1); a', '[1]'],
      ['let a = #{b: []}; push(a.b, 1); a', '{"b":[]}'],
    ])
  })

  it('of blocks are the values of their last expression', () => {
    holds([
      ['{ 1 }', '1'],
      ['let x = { 1; }; x', '1'],
      ['let x = { let y = 1; }; x', 'null'],
      ['fn f() { 5 } f()', '5'],
      ['fn f() { 5; } f()', '5'],
      ['fn f(x) { if x { return 1 } 2 } [f(true), f(false)]', '[1,2]'],
      ['let x = while true { break 3 }; x', '3'],
      ['let x = 5; do { x += 1; } while x < 3; x', '6'],
      ['let x = 5; do { x += 1; } until x > 3; x', '6'],
      ['let x = 0; do { x += 1; } while x < 3; x', '3'],
      ['let x = 0; do { x += 1; } until x > 3; x', '4'],
      ['let x = for i in 0..9 { if i == 4 { break i } }; x', '4'],
    ])
  })

  it('are shared with closures', () => {
    holds([
      ['let n = 0; let f = |x| n += x; f.call(1); f.call(2); n', '3'],
      ['let n = 1; let f = || { let n = 5; n }; [f.call(), n]', '[5,1]'],
      ['let a = [1,2,3]; let sum = 0; a.for_each(|x| sum += x); sum', '6'],
      ['let k = 2; [1,2].map(|x| [x].map(|y| y * k))', '[[2],[4]]'],
      ['let f = |x, y| x - y; f.curry(10).call(3)', '7'],
      ['let m = #{n: 1, f: |x| this.n += x}; m.f(5); m.n', '6'],
    ])
  })

  it('are written in many ways', () => {
    holds([
      ['#"a "b" \\n"#', JSON.stringify('a "b" \\n')],
      ['##"a"#b"##', JSON.stringify('a"#b')],
      ['"say ""hi" + "!"', JSON.stringify('say "hi!')],
      ['`a``b`', '"a`b"'],
      ['`\n  a`', '"  a"'],
      ["'\\''", '"\'"'],
      ['[1_000, 0xFF, 0b11, 1.5e3, 1e-2, 3.]', '[1000,255,3,1500.0,0.01,3.0]'],
      ['[0xffffffffffffffff, 99999999999999999999]', '[-1,1e+20]'],
      ['[[3,1,2].order_desc(), ["b","a"].order()]', '[[3,2,1],["a","b"]]'],
      ['[1,2].order_by(|a, b| b - a)', '[2,1]'],
    ])
  })

  it('are not visible in functions', () => {
    holds([
      [
        'let x = 1; fn f() { x } f()',
        "Variable not found: x (line 1, position 21)\nin call to function 'f' (line 1, position 25)",
      ],
      [
        'fn f() { this } f()',
        "'this' not bound (line 1, position 10)\nin call to function 'f' (line 1, position 17)",
      ],
    ])
  })
})

describe('faults', () => {
  it('name their position', () => {
    holds([
      ['let x = 1;\nlet y = x.nope()', 'Function not found: nope (i64) (line 2, position 11)'],
      ['[][0]', 'Array index 0 out of bounds: array is empty (line 1, position 4)'],
      ['""[0]', 'String index 0 out of bounds: string is empty (line 1, position 4)'],
      [
        'let x = 5; x[0]',
        "Indexing is not supported for type 'i64' with 'i64' (line 1, position 14)",
      ],
      [
        'let x = 5; x.y.z = 1',
        "Unknown property 'y' - a getter is not registered for type 'i64' (line 1, position 14)",
      ],
      ['const A = [1]; A.push(2)', 'Cannot modify constant A (line 1, position 16)'],
      ['const A = #{}; A.b = 2', 'Cannot modify constant A (line 1, position 16)'],
      [
        'eval("let x = ;")',
        "Syntax error: Unexpected ';' (line 1, position 9) (line 1, position 1)",
      ],
      ['[1] < [2]', 'Function not found: < (array, array) (line 1, position 5)'],
      ['1 in 2', 'Function not found: contains (i64, i64) (line 1, position 3)'],
    ])
  })

  it('can be caught, but not those of limits', () => {
    holds([
      ['try { throw 5 } catch (e) { e }', '5'],
      ['try { [1][7] } catch (e) { [e.error, e.line, e.position] }', '["ErrorArrayBounds",1,11]'],
      ['try { try { throw 1 } catch (e) { throw e + 1 } } catch (e) { e }', '2'],
      ['fn f() { throw 1 } try { f() } catch (e) { e }', '1'],
      ['try { loop { } } catch { }', 'Too many operations (line 1, position 12)'],
    ])
  })

  it('of a remainder that overflows names its operands', () => {
    holds([
      [
        'let a = -9223372036854775808; a % -1',
        'Modulo division by zero or overflow: -9223372036854775808 % -1',
      ],
      ['let a = -9223372036854775807; a % -1', '0'],
      ['let a = -9223372036854775808; a % 1', '0'],
    ])
  })

  it('of reserved words name them, except for members of that name', () => {
    holds([
      ['let r = 2..7; [r.start, r.end, r.end()]', '[2,7,7]'],
      ['let end = 1', "'end' is a reserved keyword (line 1, position 5)"],
      ['let a = #{}; a.begin', "'begin' is a reserved keyword (line 1, position 16)"],
    ])
  })

  it('of unknown constructs name them', () => {
    holds([
      ['import "x" as y', "'import' is a reserved keyword (line 1, position 1)"],
      ['a::b()', "Expecting ';' to terminate this statement (line 1, position 2)"],
      ['timestamp()', 'Function not found: timestamp () (line 1, position 1)'],
      ['[1].zip([2])', 'Function not found: zip (array, array) (line 1, position 5)'],
      [
        'let x = 1; x := 2',
        "':=' is not a valid assignment operator. This is not Go or Pascal! " +
          "Should it be simply '='? (line 1, position 14)",
      ],
      ['1 -> 2', "'->' is not a valid symbol. This is not C or C++! (line 1, position 3)"],
      [
        '1 <- 2',
        "'<-' is not a valid symbol. This is not Go! Should it be '<='? (line 1, position 3)",
      ],
      ['1 < -2', 'false'],
      ['2*(3)', '6'],
      ['1 ~ 2', "Unknown operator: '~' (line 1, position 3)"],
    ])
  })
})

describe('limits', () => {
  const isRefused = (text: string, fault: string): void => {
    expect(valueOfScript(text).split(' (line')[0]).toBe(fault)
  }

  it('end endless scripts', () => {
    for (const text of [
      'loop { }',
      'let i = 0; while i < 1 { }',
      'for i in 0..9223372036854775807 { }',
      'for i in range(0, 9223372036854775807) { }',
      'let a = []; a.pad(9999, 1); loop { a.sort() }',
      'let a = []; a.pad(9999, 1); loop { let b = a; }',
      'let s = "x"; s.pad(1000000, "y"); loop { s.len() }',
    ]) {
      isRefused(text, 'Too many operations')
    }
    expect(STEPS_MAX).toBe(1_000_000)
    expect(RUN_MS_MAX).toBeGreaterThan(0)
  })

  it('end growing values', () => {
    isRefused('let s = "x"; loop { s += s }', 'Length of string too long')
    isRefused('let s = "x"; s.pad(9000000000000000000, "x")', 'Length of string too long')
    isRefused('let s = ""; s.pad(90000, "x"); s.replace("x", s)', 'Length of string too long')
    isRefused('let a = []; loop { a.push(1) }', 'Size of array/BLOB too large')
    isRefused('let a = [1]; loop { a += a }', 'Size of array/BLOB too large')
    isRefused('let a = []; a.pad(9000000000000000000, 1)', 'Size of array/BLOB too large')
    isRefused('blob(9000000000000000000)', 'Size of array/BLOB too large')
    isRefused(
      'let m = #{}; let i = 0; loop { m["k" + i] = i; i += 1 }',
      'Size of object map too large',
    )
    isRefused('let a = []; loop { a = [a] }', 'Data is nested too deep')
    isRefused('let a = []; a.pad(9999, 1); let b = []; b.pad(9999, a)', 'Too many operations')
    isRefused('let s = ""; s.pad(3000000, "x"); [s.to_upper(), s + "y", s.to_lower()].len()', '3')
    isRefused(
      'let i = 0; let s = ""; s.pad(1000000, "x"); loop { s.to_upper() }',
      'Too many operations',
    )
  })

  it('end small values with a long text, such as repeated strings', () => {
    const long = 'let s = ""; s.pad(1000000, "x"); let a = []; a.pad(9999, s);'
    for (const text of ['a.to_string()', '"" + a', 'a', 'throw a', '#{a: a}.to_json()']) {
      isRefused(`${long} ${text}`, 'Length of string too long')
    }
    const same = 'let t = "x"; t.pad(1000000, "x"); let b = []; b.pad(9999, t);'
    for (const slow of ['a == b', 't in a', 'a.index_of(t)', 'a.sort()', 'a.dedup()']) {
      isRefused(`${long} ${same} ${slow}`, 'Too many operations')
    }
  })

  it('keep faults short', () => {
    const long = 'let s = ""; s.pad(3000000, "1");'
    for (const text of ['throw s', 'parse_float(s + "x")', 'parse_int(s)', 'doc[s](s)']) {
      expect(valueOfScript(`${long} ${text}`).length).toBeLessThan(3000)
    }
  })

  it('end where the stack of their thread ends', () => {
    const overflow = (): void => overflow()
    const endless = compileScript('loop { }')
    expect(() => endless.run([], overflow)).toThrow(
      expect.objectContaining({ kind: 'ErrorStackOverflow' }),
    )
  })

  it('end deep nesting', () => {
    const overflow = 'Stack overflow'
    isRefused('fn f(n) { f(n + 1) } f(0)', overflow)
    isRefused('fn f(n) { try { f(n + 1) } catch { } } f(0)', overflow)
    isRefused('fn f(n) { [n].map(|x| f(x)) } f(0)', overflow)
    isRefused('fn f(n) { eval("f(1)") } f(0)', overflow)
    isRefused('fn f(n) { [2, 1].sort(|a, b| { f(1); 0 }) } f(0)', overflow)
    isRefused(`1${' + 1'.repeat(8000)}`, overflow)
    expect(valueOfScript('fn f(n) { if n == 0 { 0 } else { 1 + f(n - 1) } } f(120)')).toBe('120')
    const tooComplex = 'Expression exceeds maximum complexity'
    for (const open of ['(', '[', '{', '!', '- ', '#{a:', '`${', '|| ', 'if true { ', '2 ** ']) {
      isRefused(open.repeat(3000), tooComplex)
    }
    isRefused(`1${' + 1'.repeat(8000)} = 2`, 'Expression cannot be assigned to')
    isRefused(
      ' '.repeat(SCRIPT_LENGTH_MAX + 1),
      `The function is longer than ${SCRIPT_LENGTH_MAX} characters`,
    )
    const functions = Array.from({ length: 31 }, (_, i) => `fn f${i}() { }`).join('\n')
    isRefused(functions, 'Number of functions defined exceeds maximum limit')
    const variables = Array.from({ length: 1000 }, (_, i) => `let a${i} = 1;`).join('\n')
    isRefused(variables, 'Too many variables defined')
  })
})

describe('any', () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const written = (value: bigint): string => (value < 0n ? `(${value})` : String(value))

  it('integers are computed in 64 bits, or overflow', () => {
    const operators: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
      ['+', (a, b) => a + b],
      ['-', (a, b) => a - b],
      ['*', (a, b) => a * b],
      ['/', (a, b) => a / b],
      ['%', (a, b) => a % b],
      ['&', (a, b) => a & b],
      ['|', (a, b) => a | b],
      ['^', (a, b) => a ^ b],
    ]
    fc.assert(
      fc.property(integer, integer, fc.constantFrom(...operators), (a, b, [operator, compute]) => {
        const value = valueOfScript(`${written(a)} ${operator} ${written(b)}`)
        const isDefined = (operator !== '/' && operator !== '%') || b !== 0n
        const exact = isDefined ? compute(a, b) : null
        if (exact !== null && BigInt.asIntN(64, exact) === exact) expect(value).toBe(String(exact))
        else expect(value).toMatch(/overflow|zero/)
      }),
      { numRuns: 500 },
    )
  })

  it('array behaves like a JavaScript array', () => {
    const step = fc.oneof(
      fc.record({ name: fc.constant('push'), args: fc.tuple(fc.integer()) }),
      fc.record({ name: fc.constant('pop'), args: fc.tuple() }),
      fc.record({ name: fc.constant('shift'), args: fc.tuple() }),
      fc.record({ name: fc.constant('reverse'), args: fc.tuple() }),
      fc.record({ name: fc.constant('sort'), args: fc.tuple() }),
      fc.record({ name: fc.constant('insert'), args: fc.tuple(fc.nat(5), fc.integer()) }),
      fc.record({ name: fc.constant('truncate'), args: fc.tuple(fc.nat(5)) }),
    )
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 8 }), fc.array(step), (start, steps) => {
        const model = [...start]
        for (const { name, args } of steps) {
          const [first, second] = args as readonly number[]
          if (name === 'push') model.push(first!)
          else if (name === 'pop') model.pop()
          else if (name === 'shift') model.shift()
          else if (name === 'reverse') model.reverse()
          else if (name === 'sort') model.sort((a, b) => a - b)
          else if (name === 'insert') model.splice(first!, 0, second!)
          else if (first! < model.length) model.length = first!
        }
        const calls = steps.map(({ name, args }) => `a.${name}(${args.join(', ')});`).join(' ')
        expect(valueOfScript(`let a = [${start.join(', ')}]; ${calls} a`)).toBe(
          JSON.stringify(model),
        )
      }),
    )
  })

  it('JSON is decoded and encoded unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.parse(writeJson(readJsonText(text)!))).toEqual(JSON.parse(text))
      }),
    )
    expect(valueOfScript('parse_json("[\\"a\\\\ud800b\\"]")')).toBe('["a\ufffdb"]')
    for (const text of ['', '{', '[1,]', '01', '1 2', '"\u0001"', '{"a"}', 'nul', '-', '1e']) {
      expect([text, readJsonText(text)]).toEqual([text, undefined])
    }
  })

  it('text is a script or a fault', () => {
    const word = fc.constantFrom(
      'let',
      'x',
      '=',
      '1',
      '2.5',
      '"a"',
      '`b${',
      '}',
      '{',
      '(',
      ')',
      '[',
      ']',
      '|',
      '||',
      'fn',
      'if',
      'else',
      'while',
      'for',
      'in',
      'doc',
      '.',
      'len',
      ';',
      ',',
      '+',
      '-',
      '!',
      '#{',
      ':',
      '=>',
      'switch',
      '_',
      'try',
      'catch',
      'throw',
      'return',
      'this',
      '..',
      '?.',
      '??',
      "'c'",
      'push',
      'map',
      'loop',
      'break',
      '+=',
      '==',
      '\n',
      'eval',
      '/*',
      '*/',
      '//',
      '\\',
    )
    const text = fc.oneof(
      fc.array(word, { maxLength: 25 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 25 }).map((words) => words.join('')),
      fc.string({ maxLength: 30 }),
    )
    fc.assert(
      fc.property(text, (script) => {
        expect(typeof valueOfScript(script, [1n, 'a'])).toBe('string')
      }),
      { numRuns: 3000 },
    )
  })
})
