// Tokens and positions: a text is split the same way with any white space and comments in it, and
// every fault names the place where it occurs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileScript } from '../script.ts'
import { type Position, ScriptFault, ScriptSyntaxError } from './faults.ts'
import { Lexer } from './lexer.ts'
import { Char } from './values.ts'

function tokensOf(text: string): { kind: string; text: string; at: Position; value: unknown }[] {
  const lexer = new Lexer(text)
  const tokens: { kind: string; text: string; at: Position; value: unknown }[] = []
  for (;;) {
    const { kind, text: own, at, value } = lexer.take()
    tokens.push({ kind, text: own, at, value })
    if (kind === 'end') return tokens
  }
}

/** Returns the message of the fault of a script. */
function faultOf(script: string): string {
  try {
    compileScript(script).run([], () => undefined)
    return 'no fault'
  } catch (error) {
    if (error instanceof ScriptFault || error instanceof ScriptSyntaxError) return error.message
    throw error
  }
}

/** Returns the position behind `text`, which begins at 1:1. */
function endOf(text: string): Position {
  const lines = text.split('\n')
  return { line: lines.length, column: Array.from(lines.at(-1)!).length + 1 }
}

const placeText = ({ line, column }: Position): string => `(line ${line}, position ${column})`

/** White space and comments, at least one of them. */
const gap = fc
  .array(fc.constantFrom(' ', '\t', '\n', '\r\n', '// note\n', '/* a */', '/* 1 /* 2 */ é\n */'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(''))

describe('tokens', () => {
  it('are the same, each at its position, with any white space and comments', () => {
    const words = ['let', 'x_1', 'import', '12', '1.5e3', '0xFF', '**=', '..=', '!in', '"a b"']
    const token = fc.constantFrom(...words, '(', '}', '#{', '?.', '==', '=', '|', '||', "'c'")
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, token), { maxLength: 12 }), gap, (pairs, last) => {
        const text = pairs.map(([space, word]) => space + word).join('') + last
        const places: Position[] = []
        let before = ''
        for (const [space, word] of pairs) {
          places.push(endOf(before + space))
          before += space + word
        }
        const expected = pairs.map(([, word]) => tokensOf(word)[0]!)
        const found = tokensOf(text)
        expect(found.pop()).toMatchObject({ kind: 'end', at: endOf(text) })
        expect(found.map(({ kind, text: own }) => [kind, own])).toEqual(
          expected.map(({ kind, text: own }) => [kind, own]),
        )
        expect(found.map(({ at }) => at)).toEqual(places)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['1_000', 1000n],
    ['0b1_01', 5n],
    ['0o17', 15n],
    ['0xffff_ffff_ffff_ffff', -1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', 2 ** 63],
    ['2.', 2],
    ['2.5', 2.5],
    ['1e3', 1000],
    ['12e-1', 1.2],
    ['"\\x41\\u00e9\\U0001F600\\t"', 'Aé😀\t'],
    ['"a\\\n   b"', 'ab'],
    ['"say ""hi"""', 'say "hi"'],
    ['#"a\\n"#', 'a\\n'],
    ['##"a"#b"##', 'a"#b'],
    ["'\\''", new Char("'")],
    ["'😀'", new Char('😀')],
  ])('%s is one literal', (text, value) => {
    expect(tokensOf(text)).toMatchObject([{ kind: 'literal', value }, { kind: 'end' }])
  })

  it.each([
    ['1..2', ['literal', 'symbol', 'literal']],
    ['1.e', ['literal', 'symbol', 'name']],
    ['1e', ['literal', 'name']],
    ['!inner', ['symbol', 'name']],
    ['a!in b', ['name', 'symbol', 'name']],
    ['`a${', ['template']],
    ['#', ['symbol']],
  ])('%s has the tokens %j', (text, kinds) => {
    expect(tokensOf(text).map(({ kind }) => kind)).toEqual([...kinds, 'end'])
  })

  it.each([
    ['"abc', 'Open string is not terminated (line 1, position 1)'],
    ['\n "a\nb"', 'Open string is not terminated (line 2, position 2)'],
    ['`a', 'Open string is not terminated (line 1, position 1)'],
    ['##"a"#', 'Open string is not terminated (line 1, position 1)'],
    ["''", "Invalid character: '' (line 1, position 1)"],
    ["'ab'", "Invalid character: 'ab' (line 1, position 1)"],
    ['0b2', "Invalid number: '' (line 1, position 1)"],
    ['0x1ffffffffffffffff', "Invalid number: '1ffffffffffffffff' (line 1, position 1)"],
    ['"\\q"', "Invalid escape sequence: '\\q' (line 1, position 3)"],
    ['"\\x4g"', "Invalid escape sequence: '\\x4g' (line 1, position 5)"],
    ['"\\ud800"', "Invalid escape sequence: '\\ud800' (line 1, position 8)"],
    ['a === b', "'===' is not a valid operator. This is not JavaScript! Should it be '=='? (line"],
    ['é', "Unexpected 'é' (line 1, position 1)"],
  ])('%s is refused', (text, message) => {
    expect(() => tokensOf(text)).toThrow(message)
  })
})

/** Statements with a fault, the text before the place that it names, and its message. */
const RUN_TIME: readonly (readonly [before: string, after: string, message: string])[] = [
  ['let y = 1 + ', 'missing;', 'Variable not found: missing'],
  ['let y = [1]; y[', '3] = 2;', 'Array index 3 out of bounds: only 1 element in array'],
  ['let y = "ab"; y[', '-3];', 'String index -3 out of bounds: only 2 characters in string'],
  ['', 'nope(1);', 'Function not found: nope (i64)'],
  ['let y = 1; y.', 'nope();', 'Function not found: nope (i64)'],
  ['let y = 1; y.', 'z;', "Unknown property 'z' - a getter is not registered for type 'i64'"],
  ['let y = true ', '+ 1;', 'Function not found: + (bool, i64)'],
  ['let y = 5; if ', 'y { }', 'Data type incorrect: i64 (expecting bool)'],
  ['', 'throw "no";', 'Runtime error: no'],
  ['for v in ', 'x { }', 'For loop expects iterable type'],
  ['const C = [1]; ', 'C.push(2);', 'Cannot modify constant C'],
  ['', 'parse_int("z");', "Error parsing integer number 'z': invalid digit found in string"],
]

const AT_COMPILATION: readonly (readonly [before: string, after: string, message: string])[] = [
  ['let y = ', '@;', "'@' is a reserved symbol"],
  ['let ', '1 = 2;', 'Expecting name of a variable'],
  ['', 'import;', "'import' is a reserved keyword"],
  ['let y = [1 ', '2];', "Expecting ',' to separate the items of this array literal"],
  ['let y = #{a: 1, ', 'a: 2};', 'Duplicated property for object map literal: a'],
  ['', '1 = 2;', 'Cannot assign to a constant value'],
  ['const C = 1; ', 'C = 2;', 'Cannot assign to constant C'],
  ['', 'break;', 'Break statement should only be used inside a loop'],
  ['if true { ', 'fn f() { } }', 'Function definitions must be at global level and cannot be'],
  ['fn f(a, ', 'a) { }', 'Duplicated parameter a for function f'],
  ['while ', '"a" { }', 'Expecting a boolean expression, not a string'],
  ['', 'this;', "'this' can only be used in functions"],
  ['let y = 1 ', 'let z = 2;', "Expecting ';' to terminate this statement"],
]

describe('a fault names its place', () => {
  const lines = fc.array(fc.constantFrom('let x = [1];', '', '// "', '{ 1 }', '/* é\n */'))
  const indentation = fc.array(fc.constantFrom(' ', '\t', '/* é */'), { maxLength: 4 })
  const behind = fc.constantFrom('', '\nlet after = 1;')

  const check = (cases: typeof RUN_TIME): void => {
    fc.assert(
      fc.property(
        lines,
        indentation,
        behind,
        fc.constantFrom(...cases),
        (above, space, end, one) => {
          const [before, after, message] = one
          const start = [...above, 'let x = 2;', space.join('') + before].join('\n')
          const text = faultOf(start + after + end)
          expect([start + after, text.slice(0, message.length)]).toEqual([start + after, message])
          expect(text).toContain(placeText(endOf(start)))
        },
      ),
      { numRuns: 150 },
    )
  }

  it('while it runs', () => check(RUN_TIME))

  it('at compilation', () => check(AT_COMPILATION))

  it('also to the script that catches it', () => {
    for (const [before, after, message] of RUN_TIME) {
      if (after.startsWith('throw') || before.startsWith('const')) continue
      const start = `let x = 2;\n try { ${before}`
      const script = `${start}${after} } catch (e) { throw e.message + " " + e.line + " " + e.position; }`
      const { line, column } = endOf(start)
      expect(faultOf(script)).toContain(`Runtime error: ${message} ${line} ${column}`)
    }
  })
})
