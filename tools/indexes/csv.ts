// Writes documents as CSV that a server can import again (engine/write/intake/INTAKE.md, "CSV"):
// `name:number` and `name:boolean` head the columns whose values all have that type, `name:json` those
// with lists, objects, values of several types, or empty texts, which a cell would lose. Members that an
// import would read as a place have a type that says they are not one.
import { BRACE, BRACKET, encoder, exactDecoder, LETTER_N, QUOTE } from '../../format/bytes/index.ts'
import { Members } from '../../format/json/index.ts'

type Kind = 'string' | 'number' | 'boolean' | 'json'

export type CsvColumn = { readonly name: string; readonly kind: Kind }

/** Returns the members of all documents in order of first occurrence. Reads all documents once. */
export async function csvColumns(
  chunks: AsyncIterable<readonly string[]>,
): Promise<readonly CsvColumn[]> {
  const kinds = new Map<string, Kind | null>()
  for await (const lines of chunks) {
    for (const line of lines) {
      for (const [name, value] of membersOf(line)) {
        const before = kinds.get(name) ?? null
        const kind = kindOf(value)
        kinds.set(
          name,
          before === null || kind === null || kind === before ? (kind ?? before) : 'json',
        )
      }
    }
  }
  return [...kinds].map(([name, kind]) => ({
    name,
    kind: kind === 'number' && COORDINATE.test(name) ? 'json' : (kind ?? 'string'),
  }))
}

const COORDINATE = /^_geo\.(?:lat|lng)$/

/** Returns the kind of a column that keeps a value, which is JSON; null for null. */
function kindOf(value: string): Kind | null {
  switch (value.charCodeAt(0)) {
    case LETTER_N:
      return null
    case QUOTE:
      return value === '""' ? 'json' : 'string'
    case BRACE:
    case BRACKET:
      return 'json'
    default:
      return value === 'true' || value === 'false' ? 'boolean' : 'number'
  }
}

/** A name that ends like a type, or that an import reads as a place, is followed by its own type. */
const TYPED = /:(?:string|number|boolean|json)$|^_geo(?:\.lat|\.lng)?$/

export const csvHead = (columns: readonly CsvColumn[]): string =>
  lineOf(
    columns.map(({ name, kind }) =>
      kind === 'string' && !TYPED.test(name) ? name : `${name}:${kind}`,
    ),
  )

/** Returns the line of one document, which is JSON text. */
export function csvLine(columns: readonly CsvColumn[], document: string): string {
  const members = new Map(membersOf(document))
  return lineOf(columns.map(({ name, kind }) => cellOf(members.get(name), kind)))
}

/** Returns names, and values as they are stored. */
export function membersOf(document: string): [name: string, value: string][] {
  const bytes = encoder.encode(document)
  const members = new Members()
  members.scan(bytes, 0)
  return Array.from({ length: members.count }, (_, i) => [
    exactDecoder.decode(members.key(i)),
    exactDecoder.decode(bytes.subarray(members.valueStart[i], members.valueEnd[i])),
  ])
}

function cellOf(value: string | undefined, kind: Kind): string {
  if (value === undefined || (value === 'null' && kind !== 'json')) return ''
  return kind === 'string' ? (JSON.parse(value) as string) : value
}

const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

const quoted = (cell: string): string =>
  /[",\r\n]|^\ufeff/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
