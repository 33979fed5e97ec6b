// Parses `_vectors[.embedder[.part]] [NOT] EXISTS`, which matches documents with vectors of some
// kind. A part is `fragments.name`, `userProvided`, `documentTemplate` or `regenerate`.
import { quotedNames } from '../../../format/errors.ts'
import { skipBlanks } from './characters.ts'
import { fault, name, type Reader, skip, take, takeWord, tokenOf } from './reader.ts'
import { suggestion } from './suggestion.ts'
import { type FilterTree, negate, type Token, type VectorPart, type VectorsNode } from './tree.ts'
import { quoted } from './wording.ts'

const KEYWORD = '_vectors'
const PARTS = ['fragments', 'userProvided', 'documentTemplate', 'regenerate'] as const

/**
 * Reads the form from `start`, where `field` was read as a name; or returns null and does not move
 * the reader.
 * @throws EngineFault
 */
export function vectors(reader: Reader, start: number, field: Token): FilterTree | null {
  if (field.from !== start || !field.text.startsWith(KEYWORD)) return null
  const behind = reader.at
  reader.at = start + KEYWORD.length
  const keyword = tokenOf(reader, start, reader.at)
  const path = take(reader, '.') ? vectorsPath(reader) : WHOLE
  if (skipBlanks(reader.text, reader.at) === reader.at) {
    if (path !== WHOLE) throw fault(reader, 'The vector filter has leftover tokens.', reader.at)
    reader.at = behind
    return null
  }
  skip(reader)
  const operation = reader.at
  const isNegated = takeWord(reader, 'NOT')
  if (isNegated) skip(reader)
  if (!takeWord(reader, 'EXISTS')) {
    const sentence =
      'Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter.'
    throw fault(reader, sentence, operation)
  }
  const tree: VectorsNode = { kind: 'vectors', keyword, ...path }
  return isNegated ? negate(tree) : tree
}

type Path = Pick<VectorsNode, 'embedder' | 'part' | 'fragment'>
const WHOLE: Path = { embedder: null, part: 'any', fragment: null }

/** Parses the text after `_vectors.` */
function vectorsPath(reader: Reader): Path {
  const embedder = name(reader)
  if (embedder === null) {
    const end = Math.min(reader.at + 1, reader.text.length)
    throw fault(reader, 'Was expecting embedder name but found nothing.', reader.at, end)
  }
  if (!take(reader, '.')) return { embedder, part: 'any', fragment: null }
  const part = requirePart(reader)
  if (part.text !== 'fragments') {
    refuseSecondPart(reader, part)
    return { embedder, part: part.text as VectorPart, fragment: null }
  }
  const fragment = take(reader, '.') ? name(reader) : null
  if (fragment === null) {
    throw fault(reader, 'The vector filter is missing a fragment name.', reader.at)
  }
  refuseSecondPart(reader, part)
  return { embedder, part: 'fragment', fragment }
}

function requirePart(reader: Reader): Token {
  const isQuoted = reader.text[reader.at] === '"' || reader.text[reader.at] === "'"
  const part = name(reader) ?? tokenOf(reader, reader.at, reader.at)
  if (isQuoted) {
    throw fault(reader, 'Was expecting this part to be unquoted.', part.from, part.to)
  }
  if (PARTS.some((known) => known === part.text)) return part
  const sentence =
    `Was expecting one of ${quotedNames(PARTS)} or nothing, ` +
    `but instead found ${quoted(part.text)}.${suggestion(part.text, PARTS)}`
  throw fault(reader, sentence, part.from, part.to)
}

function refuseSecondPart(reader: Reader, first: Token): void {
  if (!take(reader, '.')) return
  const second = name(reader) ?? tokenOf(reader, reader.at, reader.at)
  const sentence =
    'Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` or ' +
    `\`regenerate\`, but found both \`${first.text}\` and ${quoted(second.text)}.`
  throw fault(reader, sentence, second.from, second.to)
}
