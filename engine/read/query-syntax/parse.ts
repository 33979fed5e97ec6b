// Parses boolean queries (docs/search-semantics.md#boolean-queries):
//
//   query  = some { "OR" some }
//   some   = list { "AND" list }
//   list   = clause { clause }
//   clause = { "NOT" | "-" | "+" } [ field ":" ] ( word | phrase | "(" query ")" )
//
// Parentheses are kept on a stack of frames, so that no text makes the parser recurse.
import { EngineFault } from '../../model/index.ts'
import { type Lexeme, lexemeAt } from './lexer.ts'
import { LEVELS_MAX, OPERANDS_MAX } from './limits.ts'
import type { BooleanQuery, FieldName, Leaf, Tree } from './tree.ts'

type Role = 'plain' | 'required' | 'excluded'
type Clause = { readonly role: Role; readonly tree: Tree }

/** A query or the inside of parentheses, as far as it is read. */
type Frame = {
  /** Lists that `OR` combines, each of lists that `AND` combines. */
  readonly alternatives: Tree[]
  readonly required: Tree[]
  list: Clause[]
  /** The last operator, behind which a clause must follow; null at the beginning. */
  operator: Lexeme | null
  /** The role and place of the group in the frame around it. */
  readonly role: Role
  readonly opened: number
  readonly field: FieldName | null
  readonly isNegated: boolean
}

/** `needsAny`: of words side by side one suffices, as with the matching strategy `any`. */
export const parseBoolean = (text: string, needsAny: boolean): BooleanQuery =>
  new Parser(text, needsAny).parse()

/** @throws EngineFault invalid_search_q, always */
export function refuse(text: string, at: number, words: string): never {
  const position = [...text.slice(0, at)].length + 1
  throw new EngineFault(
    'invalid_search_q',
    `Invalid value at \`.q\`: ${words} at character ${position} of the boolean query.`,
  )
}

class Parser {
  readonly #text: string
  readonly #needsAny: boolean
  readonly #leaves: Leaf[] = []
  readonly #frames: Frame[] = []
  #operands = 0
  #frame: Frame = frameOf('plain', 0, null, false)
  /** Signs and the name before the next clause. */
  #isExcluded = false
  #isRequired = false
  #field: FieldName | null = null
  /** The sign, `NOT` or name that needs a clause behind it. */
  #before: Lexeme | null = null

  constructor(text: string, needsAny: boolean) {
    this.#text = text
    this.#needsAny = needsAny
  }

  /** @throws EngineFault invalid_search_q */
  parse(): BooleanQuery {
    for (let at = 0; ; ) {
      const lexeme = lexemeAt(this.#text, at)
      if (lexeme === null) break
      this.#take(lexeme)
      at = lexeme.to
    }
    const { opened } = this.#frame
    if (this.#frames.length > 0) {
      this.#refuse(opened, 'there is no `)` for the `(`')
    }
    return { tree: this.#closed(this.#text.length), leaves: this.#leaves }
  }

  #take(lexeme: Lexeme): void {
    const { from, kind, to } = lexeme
    if (kind === 'word' || kind === 'phrase') {
      this.#leaf(kind === 'word' ? 'words' : 'phrase', from, to)
    } else if (kind === 'and' || kind === 'or') this.#operator(lexeme)
    else if (kind === 'open') this.#open(from)
    else if (kind === 'close') this.#close(from)
    else if (kind === 'unclosed') this.#refuse(from, 'there is no closing quote for the quote')
    else {
      if (kind === 'field') this.#field = { name: this.#text.slice(from, to - 1), from }
      else if (kind === 'not') this.#isExcluded = !this.#isExcluded
      else this.#isRequired = true
      this.#before = lexeme
    }
  }

  #leaf(kind: Leaf['kind'], from: number, to: number): void {
    if (++this.#operands > OPERANDS_MAX) {
      this.#refuse(from, `there are more than ${OPERANDS_MAX} words and phrases`)
    }
    const { list } = this.#frame
    const isPlain = this.#before === null
    const isNegated = this.#frame.isNegated !== this.#isExcluded
    const field = this.#field ?? this.#frame.field
    const role = this.#takeRole()
    const last = list.at(-1)
    const isOfFrame = (tree: Tree): tree is Leaf =>
      tree.kind === 'words' && tree.field === this.#frame.field
    // Words side by side are one part, so that they may be read as one word or by a synonym.
    if (isPlain && kind === 'words' && last?.role === 'plain' && isOfFrame(last.tree)) {
      const run = { ...last.tree, to }
      this.#leaves[this.#leaves.length - 1] = run
      list[list.length - 1] = { role, tree: run }
      return
    }
    const leaf = { kind, from, to, field, isNegated }
    this.#leaves.push(leaf)
    list.push({ role, tree: leaf })
  }

  /** Returns the role of the next clause, and forgets what stood before it. */
  #takeRole(): Role {
    const role = this.#isExcluded ? 'excluded' : this.#isRequired ? 'required' : 'plain'
    this.#isExcluded = false
    this.#isRequired = false
    this.#field = null
    this.#before = null
    return role
  }

  #operator(operator: Lexeme): void {
    this.#endList(operator.from)
    if (operator.kind === 'or') this.#endAlternative()
    this.#frame.operator = operator
  }

  #open(at: number): void {
    if (this.#frames.length === LEVELS_MAX) {
      this.#refuse(at, `there are more than ${LEVELS_MAX} parentheses inside of each other`)
    }
    const isNegated = this.#frame.isNegated !== this.#isExcluded
    const field = this.#field ?? this.#frame.field
    this.#frames.push(this.#frame)
    this.#frame = frameOf(this.#takeRole(), at, field, isNegated)
  }

  #close(at: number): void {
    const outer = this.#frames.pop()
    if (outer === undefined) this.#refuse(at, 'there is no `(` for the `)`')
    const { role } = this.#frame
    const tree = this.#closed(at)
    if (tree === null) this.#refuse(at, 'there is no word between `(` and the `)`')
    this.#frame = outer
    outer.list.push({ role, tree })
  }

  /** Returns the tree of the frame, or null for an empty one. */
  #closed(at: number): Tree | null {
    const { list, operator } = this.#frame
    if (list.length === 0 && operator === null && this.#before === null) return null
    this.#endList(at)
    this.#endAlternative()
    return combined('any', this.#frame.alternatives)
  }

  #endList(at: number): void {
    const { list, operator, required } = this.#frame
    if (this.#before !== null) this.#missing(this.#before, 'behind')
    if (list.length === 0) {
      if (operator !== null) this.#missing(operator, 'behind')
      const next = lexemeAt(this.#text, at)
      this.#missing(next!, 'before')
    }
    required.push(this.#listTree(list))
    this.#frame.list = []
  }

  #endAlternative(): void {
    const { alternatives, required } = this.#frame
    alternatives.push(combined('all', required.splice(0)))
  }

  /** With `needsAny`, plain clauses beside required ones only rank. */
  #listTree(list: readonly Clause[]): Tree {
    const of = (role: Role): Tree[] =>
      list.filter((clause) => clause.role === role).map(({ tree }) => tree)
    const [plain, required, excluded] = [of('plain'), of('required'), of('excluded')]
    const nots = excluded.map((operand): Tree => ({ kind: 'not', operand }))
    if (!this.#needsAny || plain.length === 0) {
      return combined('all', [...required, ...plain, ...nots])
    }
    const needed = required.length > 0 ? required : [combined('any', plain)]
    return combined('all', [...needed, ...nots])
  }

  #missing({ from, to }: Lexeme, side: 'before' | 'behind'): never {
    const found = this.#text.slice(from, to)
    this.#refuse(from, `there is no word, phrase or \`(\` ${side} \`${found}\``)
  }

  #refuse(at: number, words: string): never {
    refuse(this.#text, at, words)
  }
}

const frameOf = (
  role: Role,
  opened: number,
  field: FieldName | null,
  isNegated: boolean,
): Frame => ({
  alternatives: [],
  required: [],
  list: [],
  operator: null,
  role,
  opened,
  field,
  isNegated,
})

/** `operands` are not empty. */
const combined = (kind: 'all' | 'any', operands: readonly Tree[]): Tree =>
  operands.length === 1 ? operands[0]! : { kind, operands }
