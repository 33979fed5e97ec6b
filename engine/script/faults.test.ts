// Faults of a run with their whole messages: of operators, indexes, members, calls and constants.
import { expect, it } from 'vitest'
import { ScriptFault } from './language/faults.ts'
import { compileScript } from './script.ts'

function faultOf(script: string): readonly [kind: string, message: string] {
  try {
    compileScript(script).run([], () => undefined)
  } catch (error) {
    if (error instanceof ScriptFault) return [error.kind, error.message]
    throw error
  }
  throw new Error('the script has no fault')
}

it.each<readonly [script: string, kind: string, message: string]>([
  ['9223372036854775807 + 1', 'ErrorArithmetic', 'Addition overflow: 9223372036854775807 + 1'],
  ['-9223372036854775808 - 1', 'ErrorArithmetic', 'Subtraction overflow: -9223372036854775808 - 1'],
  [
    '9223372036854775807 * 2',
    'ErrorArithmetic',
    'Multiplication overflow: 9223372036854775807 * 2',
  ],
  ['1 / 0', 'ErrorArithmetic', 'Division by zero: 1 / 0'],
  ['-9223372036854775808 / -1', 'ErrorArithmetic', 'Division overflow: -9223372036854775808 / -1'],
  ['1 % 0', 'ErrorArithmetic', 'Modulo division by zero or overflow: 1 % 0'],
  ['2 ** -1', 'ErrorArithmetic', 'Integer raised to a negative power: 2 ** -1'],
  ['2 ** 63', 'ErrorArithmetic', 'Exponential overflow: 2 ** 63'],
  ['2 ** 64', 'ErrorArithmetic', 'Exponential overflow: 2 ** 64'],
  ['-2 ** 65', 'ErrorArithmetic', 'Exponential overflow: -2 ** 65'],
  ['x', 'ErrorVariableNotFound', 'Variable not found: x (line 1, position 1)'],
  [
    'let a = 1; a.b',
    'ErrorDotExpr',
    "Unknown property 'b' - a getter is not registered for type 'i64' (line 1, position 14)",
  ],
  [
    'let a = 1; a.b = "c"',
    'ErrorDotExpr',
    "No writable property 'b' - a setter is not registered for type 'i64' to handle 'string' (line 1, position 14)",
  ],
  [
    'let a = 1; a["b"]',
    'ErrorDotExpr',
    "Indexing is not supported for type 'i64' with 'string' (line 1, position 14)",
  ],
  [
    'let a = #{}; a[1]',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting string) (line 1, position 16)',
  ],
  [
    'let a = [1]; a["b"]',
    'ErrorMismatchDataType',
    'Data type incorrect: string (expecting i64) (line 1, position 16)',
  ],
  [
    'let a = [1, 2]; a[2]',
    'ErrorArrayBounds',
    'Array index 2 out of bounds: only 2 elements in array (line 1, position 19)',
  ],
  [
    'let a = []; a[0]',
    'ErrorArrayBounds',
    'Array index 0 out of bounds: array is empty (line 1, position 15)',
  ],
  [
    'let a = [1]; a[-2]',
    'ErrorArrayBounds',
    'Array index -2 out of bounds: only 1 element in array (line 1, position 16)',
  ],
  [
    'let a = "b"; a["c"]',
    'ErrorMismatchDataType',
    'Data type incorrect: string (expecting i64) (line 1, position 16)',
  ],
  [
    'let a = "b"; a[1]',
    'ErrorStringBounds',
    'String index 1 out of bounds: only 1 character in string (line 1, position 16)',
  ],
  [
    'let a = "bc"; a[-3]',
    'ErrorStringBounds',
    'String index -3 out of bounds: only 2 characters in string (line 1, position 17)',
  ],
  [
    'let a = ""; a[0]',
    'ErrorStringBounds',
    'String index 0 out of bounds: string is empty (line 1, position 15)',
  ],
  [
    'let a = "b"; a[0] = 1',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting char) (line 1, position 16)',
  ],
  [
    'let a = "b"; a[0] = "cd"',
    'ErrorMismatchDataType',
    'Data type incorrect: string (expecting char) (line 1, position 16)',
  ],
  [
    'let a = 1; for x in a.len { }',
    'ErrorDotExpr',
    "Unknown property 'len' - a getter is not registered for type 'i64' (line 1, position 23)",
  ],
  ['throw', 'ErrorRuntime', 'Runtime error (line 1, position 1)'],
  ['throw ()', 'ErrorRuntime', 'Runtime error (line 1, position 1)'],
  ['throw 5', 'ErrorRuntime', 'Runtime error: 5 (line 1, position 1)'],
  ['!1', 'ErrorFunctionNotFound', 'Function not found: ! (i64) (line 1, position 1)'],
  [
    '1 || true',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting bool) (line 1, position 1)',
  ],
  [
    '- "a"',
    'ErrorFunctionNotFound',
    'Function not found: - (&str | ImmutableString | String) (line 1, position 1)',
  ],
  [
    '+ "a"',
    'ErrorFunctionNotFound',
    'Function not found: + (&str | ImmutableString | String) (line 1, position 1)',
  ],
  ['- true', 'ErrorFunctionNotFound', 'Function not found: - (bool) (line 1, position 1)'],
  [
    '[1] - [1]',
    'ErrorFunctionNotFound',
    'Function not found: - (array, array) (line 1, position 5)',
  ],
  ['#{} < #{}', 'ErrorFunctionNotFound', 'Function not found: < (map, map) (line 1, position 5)'],
  ['true + 1', 'ErrorFunctionNotFound', 'Function not found: + (bool, i64) (line 1, position 6)'],
  [
    '1 in 2',
    'ErrorFunctionNotFound',
    'Function not found: contains (i64, i64) (line 1, position 3)',
  ],
  [
    '"a" in 5',
    'ErrorFunctionNotFound',
    'Function not found: contains (i64, &str | ImmutableString | String) (line 1, position 5)',
  ],
  [
    '1 in "a"',
    'ErrorFunctionNotFound',
    'Function not found: contains (&str | ImmutableString | String, i64) (line 1, position 3)',
  ],
  [
    '1.0..2',
    'ErrorMismatchDataType',
    'Data type incorrect: f64 (expecting i64) (line 1, position 1)',
  ],
  [
    '1.."a"',
    'ErrorMismatchDataType',
    'Data type incorrect: string (expecting i64) (line 1, position 4)',
  ],
  [
    'call(1)',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting Fn) (line 1, position 6)',
  ],
  [
    'let a = 1; a.call()',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting Fn) (line 1, position 14)',
  ],
  [
    'let f = |x| x; f.call()',
    'ErrorFunctionNotFound',
    'Function not found: anon$0000000100000009 () (line 1, position 18)',
  ],
  [
    'nope(1, "a", \'c\', [1], #{}, 1..2, 1..=2, 1.5, true, ())',
    'ErrorFunctionNotFound',
    'Function not found: nope (i64, &str | ImmutableString | String, char, array, map, range, range=, f64, bool, ()) (line 1, position 1)',
  ],
  [
    'let f = Fn("nope"); f.call(1)',
    'ErrorFunctionNotFound',
    'Function not found: nope (i64) (line 1, position 23)',
  ],
  [
    'let f = |x| throw x; f.call(1)',
    'ErrorRuntime',
    'Runtime error: 1 (line 1, position 13)\nin closure call (line 1, position 24)',
  ],
  [
    'fn f(x) { throw x } f(1)',
    'ErrorRuntime',
    "Runtime error: 1 (line 1, position 11)\nin call to function 'f' (line 1, position 21)",
  ],
  [
    '[1].map(|x| nope(x))',
    'ErrorFunctionNotFound',
    'Function not found: nope (i64) (line 1, position 13)\nin closure call (line 1, position 5)',
  ],
  [
    '[1].filter(|x| x)',
    'ErrorMismatchDataType',
    'Data type incorrect: i64 (expecting bool) (line 1, position 5)',
  ],
  [
    'const A = 1; let f = || A = 2; f.call()',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 25)\nin closure call (line 1, position 34)',
  ],
  [
    'const A = [1]; A.sort()',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 16)',
  ],
  [
    'const A = #{b: 1}; A.b = 2',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 20)',
  ],
  [
    'const A = [1]; A[0] = 2',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 16)',
  ],
  [
    'const A = "b"; A[0] = "c"',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 16)',
  ],
  [
    'const A = "b"; A.trim()',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 16)',
  ],
  [
    'let a = 1; a += "b" - 1',
    'ErrorFunctionNotFound',
    'Function not found: - (&str | ImmutableString | String, i64) (line 1, position 21)',
  ],
  [
    'const A = #{b: [1]}; A.b += [2]',
    'ErrorAssignmentToConstant',
    'Cannot modify constant A (line 1, position 22)',
  ],
  ['call()', 'ErrorFunctionNotFound', 'Function not found: call () (line 1, position 1)'],
  [
    '[1].map(|a, b, c| 0)',
    'ErrorFunctionNotFound',
    'Function not found: anon$0000000100000009 (i64) (line 1, position 5)',
  ],
])('%s', (script, kind, message) => {
  expect(faultOf(script)).toEqual([kind, message])
})
