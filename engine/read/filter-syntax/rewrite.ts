// Writes a filter from its tree: every name and value in double quotes, the operands of AND and OR
// in parentheses. Messages of searches quote this text. It parses to the same tree, unless the
// parentheses make it too deep.
import type { ListedValues } from './listed-values.ts'
import type { FilterTree, ForeignNode, GeoPoint, Token, VectorsNode } from './tree.ts'

/** The text, and the position of the token `focus` in it: [0, 0) if it does not occur. */
export type Rewritten = { readonly text: string; readonly from: number; readonly to: number }

export function rewrite(tree: FilterTree, focus: Token | null): Rewritten {
  const writer: Writer = { text: '', focus, path: '', from: 0, to: 0 }
  writeTree(writer, tree)
  return { text: writer.text, from: writer.from, to: writer.to }
}

type Writer = {
  text: string
  readonly focus: Token | null
  /** The path of the elements that names belong to, or ''. */
  path: string
  from: number
  to: number
}

function writeTree(writer: Writer, tree: FilterTree): void {
  switch (tree.kind) {
    case 'and':
    case 'or':
      for (let i = 0; i < tree.operands.length; i++) {
        writer.text += i === 0 ? '(' : ` ${tree.kind.toUpperCase()} (`
        writeTree(writer, tree.operands[i]!)
        writer.text += ')'
      }
      return
    case 'not':
      writer.text += 'NOT ('
      writeTree(writer, tree.operand)
      writer.text += ')'
      return
    case 'compare':
      writeField(writer, tree.field)
      writer.text += ` ${tree.operator} `
      writeQuoted(writer, tree.value)
      return
    case 'between':
      writeField(writer, tree.field)
      writer.text += ' '
      writeQuoted(writer, tree.low)
      writer.text += ' TO '
      writeQuoted(writer, tree.high)
      return
    case 'in':
      writeField(writer, tree.field)
      writer.text += ' IN '
      writeValues(writer, tree.values)
      return
    case 'exists':
    case 'null':
    case 'empty':
      writeField(writer, tree.field)
      writer.text += tree.kind === 'exists' ? ' EXISTS' : ` IS ${tree.kind.toUpperCase()}`
      return
    case 'contains':
    case 'startsWith':
      writeField(writer, tree.field)
      writer.text += tree.kind === 'contains' ? ' CONTAINS ' : ' STARTS WITH '
      writeQuoted(writer, tree.value)
      return
    case 'vectors':
      writeVectors(writer, tree)
      return
    case 'foreign':
      writeForeign(writer, tree)
      return
    case 'elements':
      writeField(writer, tree.path)
      writer.text += '['
      writeBelow(writer, tree.path.text, tree.condition)
      writer.text += ']'
      return
    default:
      writeGeo(writer, tree)
      return
  }
}

function writeForeign(writer: Writer, { field, condition }: ForeignNode): void {
  writer.text += '_foreign('
  writeField(writer, field)
  writer.text += ', '
  writeBelow(writer, '', condition)
  writer.text += ')'
}

/** Writes a condition whose names begin below `path`. */
function writeBelow(writer: Writer, path: string, condition: FilterTree): void {
  const outer = writer.path
  writer.path = path
  writeTree(writer, condition)
  writer.path = outer
}

function writeField(writer: Writer, field: Token): void {
  const { path } = writer
  writer.text += '"'
  place(writer, field, escaped(path === '' ? field.text : field.text.slice(path.length + 1)))
  writer.text += '"'
}

type GeoNode = Extract<FilterTree, { kind: 'geoRadius' | 'geoBox' | 'geoPolygon' }>

function writeGeo(writer: Writer, tree: GeoNode): void {
  switch (tree.kind) {
    case 'geoRadius': {
      const { latitude, longitude, metres, resolution } = tree
      const last = resolution === null ? [] : [resolution]
      writer.text += '_geoRadius'
      writeList(writer, '(', [latitude, longitude, metres, ...last], writePlain, ')')
      return
    }
    case 'geoBox':
      writer.text += '_geoBoundingBox'
      writeList(writer, '(', [tree.topRight, tree.bottomLeft], writePoint, ')')
      return
    case 'geoPolygon':
      writer.text += '_geoPolygon'
      writeList(writer, '(', tree.points, writePoint, ')')
      return
  }
}

function writeVectors(writer: Writer, tree: VectorsNode): void {
  writer.text += '_vectors'
  if (tree.embedder !== null) {
    writer.text += '.'
    writeQuoted(writer, tree.embedder)
  }
  if (tree.fragment !== null) {
    writer.text += '.fragments.'
    writeQuoted(writer, tree.fragment)
  } else if (tree.part !== 'any') writer.text += `.${tree.part}`
  writer.text += ' EXISTS'
}

function writeList<T>(
  writer: Writer,
  open: string,
  items: readonly T[],
  write: (writer: Writer, item: T) => void,
  close: string,
): void {
  writer.text += open
  for (let i = 0; i < items.length; i++) {
    if (i > 0) writer.text += ', '
    write(writer, items[i]!)
  }
  writer.text += close
}

function writeValues(writer: Writer, values: ListedValues): void {
  writer.text += '['
  let separator = ''
  for (const value of values) {
    writer.text += `${separator}"${escaped(value)}"`
    separator = ', '
  }
  writer.text += ']'
}

const writePoint = (writer: Writer, point: GeoPoint): void =>
  writeList(writer, '[', point, writePlain, ']')

function writeQuoted(writer: Writer, token: Token): void {
  writer.text += '"'
  place(writer, token, escaped(token.text))
  writer.text += '"'
}

const writePlain = (writer: Writer, token: Token): void => place(writer, token, token.text)

const escaped = (text: string): string => text.replace(/["\\]/g, '\\$&')

function place(writer: Writer, token: Token, text: string): void {
  const from = writer.text.length
  writer.text += text
  if (token !== writer.focus) return
  writer.from = from
  writer.to = writer.text.length
}
