// Which characters make up which tokens.

const isBetween = (c: string, low: string, high: string): boolean => c >= low && c <= high

export const isDigit = (c: string): boolean => isBetween(c, '0', '9')

export const startsName = (c: string): boolean =>
  isBetween(c, 'a', 'z') || isBetween(c, 'A', 'Z') || c === '_'

export const continuesName = (c: string): boolean => startsName(c) || isDigit(c)

export const isSpace = (c: string): boolean =>
  c === ' ' || c === '\t' || c === '\n' || c === '\r' || c === '\f' || c === '\v'

/** Words with a meaning. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...['true', 'false', 'let', 'const', 'if', 'else', 'switch', 'do', 'while', 'until', 'loop'],
  ...['for', 'in', 'continue', 'break', 'return', 'throw', 'try', 'catch', 'fn', 'private', 'this'],
])

/** Words that nothing may be called. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['import', 'export', 'as', 'var', 'static', 'is', 'goto', 'exit', 'match', 'case', 'public'],
  ...['protected', 'new', 'use', 'with', 'module', 'package', 'super', 'thread', 'spawn', 'go'],
  ...[
    'await',
    'async',
    'sync',
    'yield',
    'default',
    'void',
    'null',
    'nil',
    'shared',
    'begin',
    'end',
  ],
  ...['each', 'then', 'unless'],
])

/** Names that stand only before their arguments. */
export const CALLED: ReadonlySet<string> = new Set([
  ...['eval', 'print', 'debug', 'type_of', 'Fn', 'call', 'curry', 'is_shared', 'is_def_var'],
  'is_def_fn',
])

export const SYMBOLS: ReadonlySet<string> = new Set([
  ...['**=', '<<=', '>>=', '..=', '===', '!==', '...'],
  ...['#{', '==', '!=', '<=', '>=', '&&', '||', '??', '?.', '?[', '+=', '-=', '*=', '/=', '%='],
  ...['&=', '|=', '^=', '**', '<<', '>>', '..', '=>', '::', '++', '--', '|>', '->', '<-', ':='],
  ...['+', '-', '*', '/', '%', '=', '<', '>', '!', '&', '|', '^', '.', ',', ';', ':', '(', ')'],
  ...['[', ']', '{', '}', '?', '@', '$', '#', '~', '\\'],
])

/** Symbols that no expression begins with and no operator is. */
export const RESERVED_SYMBOLS: ReadonlySet<string> = new Set([
  ...['?', '@', '$', '#', '~', '\\', '++', '--', '|>', '->', '<-', ':=', '...'],
])
