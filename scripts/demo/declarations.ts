// Lists the declarations of a TypeScript declaration file with the documentation comment before
// each. The compiler's own parser would be the better tool, but TypeScript 7 ships as a native
// program whose programming interface is not stable. This scanner supports the content of
// declaration files: modules, namespaces, interfaces, classes, type literals, functions, variables,
// types. It relies on members and statements ending with `;`, `,` or a closing brace, as they do in
// generated and formatted files; it never reads bodies of code.
import { Tokens } from './tokens.ts'

export type DeclarationKind =
  | 'module'
  | 'namespace'
  | 'interface'
  | 'class'
  | 'type'
  | 'function'
  | 'variable'
  | 'method'
  | 'property'
  | 'constructor'

export type Declaration = {
  readonly kind: DeclarationKind
  readonly name: string
  /** The name in `declare module 'name'`, '' outside. */
  readonly module: string
  /** The namespaces and the type around it, outermost first. */
  readonly path: readonly string[]
  readonly isStatic: boolean
  /** The declaration's text on one line, without comments and bodies. */
  readonly signature: string
  /** With its delimiters; '' if there is no comment. */
  readonly comment: string
}

const SIGNATURE_CHARACTERS_MAX = 400
const DEPTH_MAX = 64
const STATEMENT_MODIFIERS = ['export', 'declare', 'default', 'abstract', 'async'] as const
const MEMBER_MODIFIERS = [
  'public',
  'private',
  'protected',
  'static',
  'readonly',
  'abstract',
  'declare',
  'override',
  'async',
  'accessor',
  'get',
  'set',
] as const
/** After a modifier these tokens show that it was a name: `get(key)`, `static: boolean`. */
const AFTER_A_NAME = ['(', '<', '?', '!', ':', ';', ',', '}', '='] as const

/** Returns all declarations of `text` in their order, documented or not. */
export function scanDeclarations(text: string): Declaration[] {
  const found: Declaration[] = []
  const tokens = new Tokens(text)
  while (tokens.kind !== 'end') {
    statements({ tokens, found, module: '', path: [] })
    tokens.advance() // a superfluous closing brace
  }
  return found
}

type Context = {
  readonly tokens: Tokens
  readonly found: Declaration[]
  readonly module: string
  readonly path: readonly string[]
}

/** Reads statements up to a closing brace, which is not consumed, or to the end. */
function statements(context: Context): void {
  const { tokens } = context
  while (tokens.kind !== 'end' && !tokens.is('}')) {
    const before = tokens.start
    if (!tokens.take(';')) statement(context)
    if (tokens.start === before) tokens.advance()
  }
}

function statement(context: Context): void {
  const { tokens } = context
  const { comment, start } = tokens
  while (STATEMENT_MODIFIERS.some((word) => tokens.take(word)));
  const keyword = tokens.kind === 'word' ? tokens.value : ''
  const read = STATEMENTS.get(keyword)
  if (read === undefined) finish(tokens)
  else read(context, comment, start, keyword)
}

type ReadStatement = (context: Context, comment: string, start: number, keyword: string) => void

const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map([
  ['module', block],
  ['namespace', block],
  ['global', block],
  ['interface', typeWithMembers],
  ['class', typeWithMembers],
  ['enum', typeWithMembers],
  ['type', plain],
  ['function', plain],
  ['var', variable],
  ['let', variable],
  ['const', variable],
])

/** `module 'a' { … }`, `namespace A.B { … }`, `global { … }`. */
function block(context: Context, comment: string, start: number, keyword: string): void {
  const { tokens, found } = context
  let { module, path } = context
  tokens.advance()
  if (keyword === 'global') path = []
  else if (tokens.kind === 'string') {
    module = tokens.value.slice(1, -1)
    path = []
    tokens.advance()
    add(context, { kind: 'module', name: module, comment, start, module })
  } else {
    let outer = path
    path = [...path, tokens.value]
    tokens.advance()
    while (tokens.take('.')) {
      outer = path
      path = [...path, tokens.value]
      tokens.advance()
    }
    const name = path.at(-1)!
    add({ ...context, path: outer }, { kind: 'namespace', name, comment, start })
  }
  if (!tokens.take('{')) {
    finish(tokens)
    return
  }
  if (path.length > DEPTH_MAX) skipToClose(tokens)
  else statements({ tokens, found, module, path })
  tokens.take('}')
}

function typeWithMembers(context: Context, comment: string, start: number, keyword: string): void {
  const { tokens } = context
  tokens.take(keyword)
  const name = tokens.value
  tokens.advance()
  skipUntil(tokens, ['{'])
  const kind = keyword === 'interface' || keyword === 'class' ? keyword : 'type'
  add(context, { kind, name, comment, start })
  if (!tokens.take('{')) return
  if (keyword === 'enum') skipToClose(tokens)
  else members({ ...context, path: [...context.path, name] }, false)
  tokens.take('}')
}

/** A type or a function: a name and the text up to the semicolon. */
function plain(context: Context, comment: string, start: number, keyword: string): void {
  const { tokens } = context
  tokens.take(keyword)
  const name = tokens.value
  if (tokens.kind !== 'word') {
    finish(tokens)
    return
  }
  tokens.advance()
  skipUntil(tokens, [';'])
  add(context, { kind: keyword === 'type' ? 'type' : 'function', name, comment, start })
  tokens.take(';')
}

/** `const a: T;` Reads the members of a literal type, which are the members of the variable. */
function variable(context: Context, comment: string, start: number, keyword: string): void {
  const { tokens, found } = context
  tokens.take(keyword)
  if (tokens.is('enum')) {
    typeWithMembers(context, comment, start, 'enum')
    return
  }
  const name = tokens.value
  tokens.advance()
  const own: Declaration[] = []
  if (tokens.take(':') && tokens.is('{')) {
    tokens.advance()
    members({ ...context, found: own, path: [...context.path, name] }, true)
    tokens.take('}')
  }
  skipUntil(tokens, [';'])
  add(context, { kind: 'variable', name, comment, start })
  found.push(...own)
  tokens.take(';')
}

/** Reads members up to the closing brace, which is not consumed. */
function members(context: Context, isStatic: boolean): void {
  const { tokens } = context
  while (tokens.kind !== 'end' && !tokens.is('}')) {
    const before = tokens.start
    if (!tokens.take(';') && !tokens.take(',')) member(context, isStatic)
    if (tokens.start === before) tokens.advance()
  }
}

function member(context: Context, isStatic: boolean): void {
  const { tokens } = context
  const { comment, start } = tokens
  let staticToo = isStatic
  for (;;) {
    const word = MEMBER_MODIFIERS.find((modifier) => tokens.is(modifier))
    if (word === undefined) break
    const ahead = tokens.fork()
    ahead.advance()
    if (AFTER_A_NAME.some((mark) => ahead.is(mark))) break
    if (word === 'static') staticToo = true
    tokens.advance()
  }
  if (tokens.is('(') || tokens.is('<')) {
    callSignature(context, comment, start)
    return
  }
  const name = memberName(tokens)
  if (name === '') {
    skipUntil(tokens, [';', ','])
    return
  }
  while (tokens.take('?') || tokens.take('!'));
  const callable = tokens.is('(') || tokens.is('<')
  skipUntil(tokens, [';', ','])
  const kind = name === 'constructor' ? 'constructor' : callable ? 'method' : 'property'
  add(context, { kind, name, comment, start, isStatic: staticToo && kind !== 'constructor' })
}

/** The surrounding type can be called: a function of its name. */
function callSignature(context: Context, comment: string, start: number): void {
  const { tokens, path } = context
  skipUntil(tokens, [';', ','])
  const name = path.at(-1)!
  add({ ...context, path: path.slice(0, -1) }, { kind: 'function', name, comment, start })
}

/** Skips the name and returns it; '' for index signatures and mapped types. */
function memberName(tokens: Tokens): string {
  if (tokens.take('[')) {
    const start = tokens.start
    skipUntil(tokens, [']', ':'])
    const name = tokens.text.slice(start, tokens.lastEnd)
    const computed = tokens.is(']') && /^[\w$.]+$/.test(name)
    tokens.take(']')
    return computed ? name : ''
  }
  const { kind, value } = tokens
  if (kind === 'mark' || kind === 'end') return ''
  tokens.advance()
  if (kind === 'string') return value.slice(1, -1)
  if (value === 'new' && (tokens.is('(') || tokens.is('<'))) return 'constructor'
  return value
}

/**
 * Skips to one of `marks` outside of all brackets, or to the bracket that closes the surrounding
 * block.
 */
function skipUntil(tokens: Tokens, marks: readonly string[]): void {
  let depth = 0
  let angles = 0
  for (; tokens.kind !== 'end'; tokens.advance()) {
    if (tokens.kind !== 'mark') continue
    const mark = tokens.value
    if (depth === 0 && angles === 0 && marks.includes(mark)) return
    if (mark === '(' || mark === '[' || mark === '{') depth++
    else if (mark === '<') angles++
    else if (mark === '>') angles = Math.max(0, angles - 1)
    else if (mark === ')' || mark === ']' || mark === '}') {
      if (depth === 0) return
      depth--
    } else if (depth === 0 && mark === ';' && marks.includes(';')) return
  }
}

/** Ends a statement without a declaration of interest. */
function finish(tokens: Tokens): void {
  skipUntil(tokens, [';'])
  tokens.take(';')
}

function skipToClose(tokens: Tokens): void {
  skipUntil(tokens, [])
}

type Added = Pick<Declaration, 'kind' | 'name' | 'comment'> & {
  readonly start: number
  readonly isStatic?: boolean
  readonly module?: string
}

function add(context: Context, { kind, name, comment, start, isStatic, module }: Added): void {
  const { tokens, found, path } = context
  found.push({
    kind,
    name,
    module: module ?? context.module,
    path,
    isStatic: isStatic ?? false,
    signature: signatureOf(tokens.text.slice(start, tokens.lastEnd)),
    comment,
  })
}

/** Returns one line without comments, cut if it is long. */
function signatureOf(text: string): string {
  const line = text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= SIGNATURE_CHARACTERS_MAX) return line
  return `${line.slice(0, SIGNATURE_CHARACTERS_MAX - 1).trimEnd()}…`
}
