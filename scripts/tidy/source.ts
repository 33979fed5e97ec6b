// Splits a TypeScript file into code, comments and texts, so that rules look at the right one. It
// is not a parser: it knows strings, templates, comments and regular expressions, and counts braces
// in what is left.

type Text = { readonly at: number; readonly text: string }

export type Source = {
  /** Path from the root, with slashes. */
  readonly file: string
  readonly whole: string
  /** As long as `whole`; comments and the insides of strings are blank. */
  readonly code: string
  /** As long as `whole`; everything but comments is blank. */
  readonly comments: string
  readonly texts: readonly Text[]
}

export type Import = {
  readonly at: number
  readonly name: string
  /** Vanishes in compilation. */
  readonly typeOnly: boolean
  /** Loads when it is reached, not before. */
  readonly lazy: boolean
  /** The names that are taken, as the imported file calls them; null: all of them. */
  readonly names: readonly string[] | null
}

export type FunctionSpan = {
  readonly name: string
  readonly firstLine: number
  readonly lines: number
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** Where a slash begins a regular expression and does not divide. */
const BEFORE_REGEXP = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|yield|await))\s*$/

export function readSource(file: string, whole: string): Source {
  let code = ''
  let comments = ''
  const texts: Text[] = []
  let at = 0
  /** Depth of braces inside each open `${`; the innermost last. */
  const holes: number[] = []
  const take = (end: number, kind: 'code' | 'comment' | 'text'): void => {
    const part = whole.slice(at, end)
    code += kind === 'code' ? part : blank(part)
    comments += kind === 'comment' ? part : blank(part)
    at = end
  }
  const takeTemplate = (): void => {
    const start = at
    const end = templateEnd(whole, at)
    if (end > at) take(end, 'text')
    texts.push({ at: start, text: whole.slice(start, end) })
    if (whole[at] === '$') {
      holes.push(0)
      take(at + 2, 'code')
    } else take(Math.min(at + 1, whole.length), 'code')
  }
  while (at < whole.length) {
    const char = whole[at]!
    if (char === '/' && whole[at + 1] === '/') take(endOf(whole, '\n', at), 'comment')
    else if (char === '/' && whole[at + 1] === '*') {
      take(endOf(whole, '*/', at + 2) + 2, 'comment')
    } else if (char === "'" || char === '"') {
      const end = quotedEnd(whole, at + 1, char)
      take(at + 1, 'code')
      texts.push({ at, text: whole.slice(at, end) })
      take(end, 'text')
      take(Math.min(end + 1, whole.length), 'code')
    } else if (char === '`') {
      take(at + 1, 'code')
      takeTemplate()
    } else if (char === '/' && BEFORE_REGEXP.test(code.slice(-60))) {
      take(at + 1, 'code')
      take(regexpEnd(whole, at), 'text')
    } else if (char === '}' && holes.at(-1) === 0) {
      holes.pop()
      take(at + 1, 'code')
      takeTemplate()
    } else {
      if (char === '{' && holes.length > 0) holes[holes.length - 1]!++
      if (char === '}' && holes.length > 0) holes[holes.length - 1]!--
      take(at + 1, 'code')
    }
  }
  return { file, whole, code, comments, texts }
}

function endOf(whole: string, mark: string, from: number): number {
  const end = whole.indexOf(mark, from)
  return end < 0 ? whole.length : end
}

function quotedEnd(whole: string, from: number, quote: string): number {
  let at = from
  while (at < whole.length && whole[at] !== quote && whole[at] !== '\n') {
    at += whole[at] === '\\' ? 2 : 1
  }
  return Math.min(at, whole.length)
}

function templateEnd(whole: string, from: number): number {
  let at = from
  while (at < whole.length && whole[at] !== '`' && !(whole[at] === '$' && whole[at + 1] === '{')) {
    at += whole[at] === '\\' ? 2 : 1
  }
  return Math.min(at, whole.length)
}

function regexpEnd(whole: string, from: number): number {
  let at = from
  let inClass = false
  while (at < whole.length && whole[at] !== '\n' && (inClass || whole[at] !== '/')) {
    if (whole[at] === '[') inClass = true
    if (whole[at] === ']') inClass = false
    at += whole[at] === '\\' ? 2 : 1
  }
  return Math.min(at, whole.length)
}

/** The line that `at` is in, counted from 1. */
export function lineAt(whole: string, at: number): number {
  let line = 1
  for (let next = whole.indexOf('\n'); next >= 0 && next < at; line++) {
    next = whole.indexOf('\n', next + 1)
  }
  return line
}

const STATEMENT = /\b(?:import|export)\b(?:(?!\b(?:import|export)\b)[^;=])*\bfrom\s*$/
const CALL = /\b(?:import|require|createRequire\([^()]*\))\s*\(\s*$/

/** Names in the braces of an import or export: as the other file or as this one calls them. */
export function namesIn(list: string, side: 'theirs' | 'ours'): string[] {
  return list.split(',').flatMap((part) => {
    const words = part
      .trim()
      .replace(/^type\s+/, '')
      .split(/\s+as\s+/)
    const name = side === 'theirs' ? words[0]! : words.at(-1)!
    return name === '' ? [] : [name]
  })
}

/** Whatever a file imports or passes on, in any way, `createRequire` included. */
export function importsOf(source: Source): Import[] {
  const imports: Import[] = []
  for (const { at, text } of source.texts) {
    const before = source.code.slice(Math.max(0, at - 2000), at - 1)
    const statement = STATEMENT.exec(before)
    if (statement !== null) {
      const typeOnly = /^\w+\s+type\b/.test(statement[0])
      const list = /\{([^{}]*)\}/.exec(statement[0])?.[1]
      const names = list === undefined ? null : namesIn(list, 'theirs')
      imports.push({ at, name: text, typeOnly, lazy: false, names })
    } else if (CALL.test(before)) {
      const typeOnly = /\btypeof\s+import\s*\(\s*$/.test(before)
      imports.push({ at, name: text, typeOnly, lazy: true, names: null })
    } else if (/\bimport\s*$/.test(before)) {
      imports.push({ at, name: text, typeOnly: false, lazy: false, names: [] })
    }
  }
  return imports
}

const NOT_A_METHOD = /^(?:if|for|while|switch|catch|with|return|else|do|new|super|await|function)\b/
const FUNCTION_HEAD = /\bfunction\b\s*\*?\s*([#$\w]*)/
const METHOD_HEAD =
  /^\s*(?:(?:static|async|get|set|override|public|private)\s+|\*)*([#$\w]+)\s*(?:<.*>)?\(/

/** All functions, methods and arrows with a block, nested ones too. */
export function functionsOf(source: Source): FunctionSpan[] {
  const found: FunctionSpan[] = []
  const lines = source.code.split('\n')
  const open: { head: FunctionHead | null }[] = []
  let number = 0
  for (const line of lines) {
    number++
    for (let column = 0; column < line.length; column++) {
      if (line[column] === '{') open.push({ head: headAt(lines, number - 1, column) })
      if (line[column] !== '}') continue
      const head = open.pop()?.head ?? null
      if (head === null) continue
      found.push({ name: head.name, firstLine: head.line, lines: number - head.line + 1 })
    }
  }
  return found
}

type FunctionHead = { readonly name: string; readonly line: number }

/** The head of the function whose body opens at a brace, or null where something else opens. */
function headAt(lines: readonly string[], index: number, column: number): FunctionHead | null {
  const before = lines[index]!.slice(0, column)
  const first = firstLineOfHead(lines, index, before)
  const text = first === index ? before : `${lines[first]} ${before}`
  const named = /\b(?:const|let)\s+([$\w]+)/.exec(text)?.[1]
  if (/=>\s*$/.test(before)) return { name: named ?? 'arrow', line: first + 1 }
  // A body follows its parameters, or the type of what is returned.
  if (!/[)\w\]>}'|]\s*$/.test(before) || !text.includes('(')) return null
  const declared = FUNCTION_HEAD.exec(text)
  if (declared !== null) return { name: declared[1] || 'function', line: first + 1 }
  const method = METHOD_HEAD.exec(text)
  if (method === null || NOT_A_METHOD.test(method[1]!)) return null
  return { name: method[1]!, line: first + 1 }
}

/** A head may span lines: `) {` or, behind a type, `} {` stand at the indentation of its first. */
function firstLineOfHead(lines: readonly string[], index: number, before: string): number {
  const closing = /^(\s*)[)}]/.exec(before)
  if (closing === null) return index
  const indent = closing[1]!
  for (let i = index - 1; i >= 0; i--) {
    const line = lines[i]!
    if (line.startsWith(indent) && /^\S/.test(line.slice(indent.length))) return i
  }
  return index
}
