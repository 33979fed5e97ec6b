// Every fault of the syntax with its whole message and its place, and the texts beside it that have
// none.
import { describe, expect, it, test } from 'vitest'
import { compileScript } from '../script.ts'
import { ScriptSyntaxError } from './faults.ts'
import { FUNCTIONS_MAX, NESTING_MAX, SCRIPT_LENGTH_MAX, VARIABLES_MAX } from './limits.ts'

/** Returns the message of the fault of a script, or null. */
function faultOf(script: string): string | null {
  try {
    compileScript(script)
    return null
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return error.message
    throw error
  }
}

const COMMA = "Expecting ',' to separate"

/** A script up to the place of its fault, the rest of it, and the reason. */
const FAULTS: readonly (readonly [before: string, after: string, reason: string])[] = [
  // Statements.
  ['let a = 1; ', '}', "Unexpected '}'"],
  ['1 ', '@ 2', "Unknown operator: '@'"],
  ['let a ', '@ 1', "Unknown operator: '@'"],
  ['let a = (1 ', '@ 2)', "Unknown operator: '@'"],
  ['{ 1 }; 1 ', '2', "Expecting ';' to terminate this statement"],
  ['do { } while true ', '1', "Expecting ';' to terminate this statement"],
  ['let ', 'import = 1', "'import' is a reserved keyword"],
  ['let ', '', 'Expecting name of a variable'],
  ['', 'else', "Unexpected 'else'"],
  ['1 + ', '', 'Script is incomplete'],
  ['', '"a" = 1', 'Cannot assign to a constant value'],
  ['let a = 1; a.', 'b() = 1', 'Expression cannot be assigned to'],
  ['', '1 + 2 = 3', 'Expression cannot be assigned to'],
  ['', 'continue', 'Break statement should only be used inside a loop'],
  ['loop { || ', 'break }', 'Break statement should only be used inside a loop'],
  ['loop { } ', 'break', 'Break statement should only be used inside a loop'],
  ['try { } ', '1', "Expecting 'catch' for the 'try' statement"],
  ['try { } catch (', '1) { }', 'Expecting name of a variable'],
  ['try { } catch (e ', '{ }', "Expecting ')' to enclose the catch variable"],
  ['try ', '1', "Expecting '{' to start a statement block"],
  ['{ 1', '', "Expecting '}' to terminate this block"],
  // Functions.
  ['private ', 'let a', "Unexpected 'let'"],
  ['private ', '', 'Script is incomplete'],
  ['fn ', 'import() { }', "'import' is a reserved keyword"],
  ['fn ', '1() { }', 'Expecting function name in function declaration'],
  ['fn f', ' { }'.trim(), "Expecting parameters for function 'f'"],
  ['fn f(a) ', '1', "Expecting body statement block for function 'f'"],
  ['fn f(', '1) { }', "Expecting ')' to close the parameters list of function 'f'"],
  ['fn f(a ', 'b) { }', `${COMMA} the parameters of function 'f'`],
  ['fn f() { } ', 'fn f() { }', 'Function f with no parameters already exists'],
  ['fn f(a) { } ', 'fn f(b) { }', 'Function f with 1 parameter already exists'],
  ['fn f(a, b) { } ', 'fn f(c, d) { }', 'Function f with 2 parameters already exists'],
  [
    'fn f() { ',
    'fn g() { } }',
    'Function definitions must be at global level and cannot be inside a block or another function',
  ],
  // Conditions and loops.
  ['if ', '{ }', 'Expecting a boolean expression'],
  ['if ', '[1] { }', 'Expecting a boolean expression, not an array'],
  ['if ', '#{} { }', 'Expecting a boolean expression, not an object map'],
  ['if ', '() { }', 'Expecting a boolean expression, not ()'],
  ['if ', '1 { }', 'Expecting a boolean expression, not a number'],
  ['if ', '1.5 { }', 'Expecting a boolean expression, not a floating-point number'],
  ['if ', "'a' { }", 'Expecting a boolean expression, not a character'],
  ['if true { } else if ', '"a" { }', 'Expecting a boolean expression, not a string'],
  ['if true { } else { } ', 'else { }', "Unexpected 'else'"],
  ['do { } ', '1', "Expecting 'while' for the do statement"],
  ['do { } until ', '1', 'Expecting a boolean expression, not a number'],
  ['for (a ', ') in [] { }', "Expecting ',' after the iteration variable name"],
  ['for (a, ', 'a) in [] { }', 'Duplicated variable name: a'],
  ['for (a, b ', 'in [] { }', "Expecting ')' to close the iteration variables"],
  ['for a ', 'of [] { }', "Expecting 'in' after the iteration variable"],
  ['for a in ', '{ }', 'Expecting a boolean expression'],
  ['for a in ', '1 { }', 'Expecting an iterable value, not a number'],
  ['for a in ', 'true { }', 'Expecting an iterable value, not a boolean'],
  ['for a in ', '#{} { }', 'Expecting an iterable value, not an object map'],
  // Cases.
  ['switch 1 ', '', "Expecting '{' to start a switch block"],
  ['switch 1 { ', '', "Expecting '}' to end this switch block"],
  ['switch 1 { ', '_ => 1, 2 => 3 }', 'Default switch case must be the last'],
  ['switch 1 { _ ', 'if true => 1 }', 'Default switch case cannot have condition'],
  ['switch 1 { ', 'a => 1 }', 'Expecting a literal value'],
  ['switch 1 { 1 | ', '[a] => 1 }', 'Expecting a literal value'],
  ['switch 1 { ', '#{b: a} => 1 }', 'Expecting a literal value'],
  ['switch 1 { ', '1..a => 1 }', 'Expecting a literal value'],
  ['switch 1 { ', 'a..1 => 1 }', 'Expecting a literal value'],
  ['switch 1 { 1 ', ', 2 }', "Expecting '=>' in this switch case"],
  ['switch 1 { 1 if ', '2 => 3 }', 'Expecting a boolean expression, not a number'],
  ['switch 1 { 1 => 2 ', '3 => 4 }', `${COMMA} the items in this switch block`],
  // Expressions.
  ['let a = ', '@', "'@' is a reserved symbol"],
  ['let a = ', ')', "Unexpected ')'"],
  ['let a = (1 ', '2)', "Expecting ')' for a matching ( in this expression"],
  ['let a = [1', '', "Expecting ']' to end this array literal"],
  ['let a = [1,', '', "Expecting ']' to end this array literal"],
  ['let a = #{', '', "Expecting '}' to end this object map literal"],
  ['let a = #{b: 1', '', "Expecting '}' to end this object map literal"],
  ['let a = #{b: 1 ', 'c: 2}', `${COMMA} the items of this object map literal`],
  ['let a = #{', '1: 2}', 'Expecting name of a property'],
  ['let a = #{', 'import: 2}', "'import' is a reserved keyword"],
  ['let a = #{b ', '2}', "Expecting ':' to follow the property 'b' in this object map literal"],
  ['let a = [1]; a[1 ', ';', "Expecting ']' for a matching [ in this index expression"],
  ['let a = 1; a.', '1', 'Expecting name of a property'],
  ['let a = 1; a.', 'import', "'import' is a reserved keyword"],
  ['f(1 ', '2)', `${COMMA} the arguments to function call 'f'`],
  ['f(1', '', "Expecting ')' to close the arguments list of this function call 'f'"],
  ['f(', '', "Expecting ')' to close the arguments list of this function call 'f'"],
  ['f(1,', '', "Expecting ')' to close the arguments list of this function call 'f'"],
  ['', 'print', "'print' is a reserved keyword"],
  ['let a = ', 'in', "Unexpected 'in'"],
  [
    'let a = |',
    '1| 2',
    "Expecting '|' to close the parameters list of anonymous function or closure",
  ],
  ['let a = |b ', 'c| 2', `${COMMA} the parameters of anonymous function or closure`],
  ['let a = |b, ', 'b| 2', 'Duplicated parameter b for anonymous function or closure'],
]

it.each(FAULTS)('%s%s is refused', (before, after, reason) => {
  const place = `(line 1, position ${before.length + 1})`
  expect(faultOf(before + after)).toBe(`${reason} ${place}`)
})

it.each([
  '',
  ';;',
  'let a; let b = 1; { a = 2; } b += 1',
  'if true { } else if false { } else { } 1',
  'loop { break; } while true { break 1; } do { continue; } until true',
  'for a in [] { } for (a, b) in "x" { } for a in 0..2 { }',
  'switch 1 { 1 | 2 if true => 3, [1, [2]] => { 4 } #{a: 1} => 5, 1..2 => 6, 3.. => 7, _ => 8 }',
  'switch 1 { 1 => 2, }',
  'switch 1 { }',
  'try { } catch { } try { throw; } catch (e) { throw e; }',
  'fn f() { return; } private fn f(a) { this + a } f(1,)',
  'let a = [1, 2,]; a[0] = 1; a[0]?.b; a?[1]',
  'let a = #{b: 1, "c d": 2,}; a.b = 3; a.b.c += 1',
  'let r = 1..2; r.end; r.start',
  'let f = |a, b| a + b; let g = || 1; let h = |a,| a',
  'const C = 1; { let C = 2; C = 3; }',
  'fn f(a) { loop { break; } }',
])('%s is accepted', (script) => {
  expect(faultOf(script)).toBeNull()
})

test.each<[script: string, value: unknown]>([
  ['let s = "abc"; s[1] = \'x\'; s[-1] = "y"; s', 'axy'],
  ['let a = [1, [2]]; a[1][0] = 3; a[1][0]', 3n],
  ['let m = #{a: [1]}; m.a[0] += 1; m.a[0]', 2n],
  ['``', ''],
  ['`a`', 'a'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a script
  ['let b = 1; `${b}`', '1'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a script
  ['let b = 1; `a${b}c${}d`', 'a1cd'],
  ['let a = 1;\r\na', 1n],
  ['true && false || true', true],
  ['let x = true; x && true', true],
  ['let x = false; false || x', false],
])('%s has its value', (script, value) => {
  expect(compileScript(script).run([], () => undefined)).toEqual(value)
})

test.each([
  ['const C = [1]; C[0] = 2', 'Cannot modify constant C'],
  ['const C = "ab"; C[0] = \'c\'', 'Cannot modify constant C'],
  ['const C = #{a: 1}; C.a = 2', 'Cannot modify constant C'],
  ['let s = "ab"; s[0] = 1', 'Data type incorrect: i64 (expecting char)'],
  ['let s = "ab"; s[0] = "cd"', 'Data type incorrect: string (expecting char)'],
])('%s changes nothing', (script, message) => {
  expect(() => compileScript(script).run([], () => undefined)).toThrow(message)
})

describe('limits', () => {
  it('of the length of a script', () => {
    const comment = (length: number): string => `//${'x'.repeat(length - 2)}`
    expect(faultOf(comment(SCRIPT_LENGTH_MAX))).toBeNull()
    expect(faultOf(comment(SCRIPT_LENGTH_MAX + 1))).toBe(
      `The function is longer than ${SCRIPT_LENGTH_MAX} characters (line 1, position 1)`,
    )
  })

  it('of variables in a scope, which ends with its block', () => {
    const variables = (count: number): string => 'let a;'.repeat(count)
    expect(faultOf(variables(VARIABLES_MAX))).toBeNull()
    expect(faultOf(`${variables(VARIABLES_MAX - 1)}{let b;}let c;`)).toBeNull()
    expect(faultOf(variables(VARIABLES_MAX + 1))).toContain('Too many variables defined')
  })

  it('of functions', () => {
    const functions = (count: number): string =>
      Array.from({ length: count }, (_, i) => `fn f${i}(){}`).join('')
    expect(faultOf(functions(FUNCTIONS_MAX))).toBeNull()
    expect(faultOf(functions(FUNCTIONS_MAX + 1))).toContain(
      'Number of functions defined exceeds maximum limit',
    )
  })

  it('of nesting, which does not add up over statements', () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)};`
    expect(faultOf(deep(NESTING_MAX).repeat(3))).toBeNull()
    expect(faultOf(deep(NESTING_MAX + 1))).toContain('Expression exceeds maximum complexity')
  })
})
