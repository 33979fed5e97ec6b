// Generates docs/rooms.md: every folder of the code with the first lines of its `index.ts`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { REPOSITORY } from './site.ts'

const LAYERS = ['format', 'engine', 'server', 'tools']

const HEAD = `# Rooms

Every folder of the code, with the first lines of its \`index.ts\`. [ARCHITECTURE](${REPOSITORY}ARCHITECTURE.md) says how they work together,
\`scripts/tidy/structure.table.ts\` which folder may import which.
`

/** Matches the name of a page beside the door, with the words before it. */
const OWN_PAGE = /(?:[:,.]| ·)?(?: (?:Layout|Page)[\w ]*:)? (\.\.?\/)([A-Z0-9-]+)\.md/g

/** Returns the page for the repository at `root`. */
export function roomsPage(root: string): string {
  const sections = LAYERS.map((layer) => {
    const rows = roomsOf(root, layer).map((room) => `| \`${room}\` | ${headOf(root, room)} |\n`)
    return `\n## ${layer}\n\n| folder | what is there |\n|---|---|\n${rows.join('')}`
  })
  return HEAD + sections.join('')
}

/** The folders below a layer that have an `index.ts`, in order of their names. */
function roomsOf(root: string, layer: string): string[] {
  return readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' })
    .filter((path) => existsSync(join(root, layer, path, 'index.ts')))
    .map((path) => `${layer}/${path.replaceAll('\\', '/')}`)
    .sort()
}

/** The first paragraph of the comment at the head of a door; pages beside it become links. */
function headOf(root: string, room: string): string {
  const words: string[] = []
  for (const line of readFileSync(join(root, room, 'index.ts'), 'utf8').split('\n')) {
    if (!line.startsWith('// ')) break
    words.push(line.slice(3))
  }
  return words
    .join(' ')
    .replaceAll('|', '\\|')
    .replaceAll(OWN_PAGE, (_, folder, page) => {
      return ` ([${page}](${REPOSITORY}${posix.join(room, folder, page)}.md))`
    })
}
