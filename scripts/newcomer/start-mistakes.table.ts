// Mistakes in starting the server and in using the tools: the command line and the expected
// message.
import type { Variables } from './place.ts'
import type { Expected } from './report.ts'

export type Mistake = {
  readonly what: string
  readonly command: 'svc-server' | 'svc-tools'
  readonly words: readonly string[]
  readonly variables?: Variables
  readonly expected: Expected
}

const server = (
  what: string,
  words: readonly string[],
  expected: Expected,
  variables: Variables = {},
): Mistake => ({ what, command: 'svc-server', words, expected, variables })

const tools = (what: string, words: readonly string[], expected: Expected): Mistake => ({
  what,
  command: 'svc-tools',
  words,
  expected,
})

const KEY = { SVC_MASTER_KEY: 'a-key-of-sixteen-bytes-or-more' }

export const START_MISTAKES: readonly Mistake[] = [
  server('an unknown option', ['--db-pth', 'x'], { code: 2, says: ["did you mean '--db-path'"] }),
  server(
    'a variable of Meilisearch',
    [],
    { code: 2, says: ['SVC_MASTER_KEY', 'migrating'] },
    {
      MEILI_MASTER_KEY: 'abc',
    },
  ),
  server('an unknown variable, and a port that cannot be', ['--http-addr', 'localhost:99999'], {
    code: 2,
    says: ['99999', 'port'],
  }),
  server('a wrong value of an option', ['--log-level', 'LOUD'], {
    code: 2,
    says: ['LOUD', '`INFO`'],
  }),
  server('production without a key', ['--env', 'production'], {
    code: 1,
    says: ['export SVC_MASTER_KEY='],
  }),
  server(
    'production with a short key',
    ['--env', 'production'],
    { code: 1, says: ['16 bytes'] },
    {
      SVC_MASTER_KEY: 'short',
    },
  ),
  server(
    'a certificate without its key',
    ['--env', 'production', '--ssl-cert-path', 'x.pem'],
    {
      code: 2,
      says: ['--ssl-key-path'],
    },
    KEY,
  ),
  server('a dump that does not exist', ['--db-path', 'new.ms', '--import-dump', 'no.dump'], {
    code: 1,
    says: ['no.dump'],
  }),
  server('a file that is not a dump', ['--db-path', 'new.ms', '--import-dump', 'films.csv'], {
    code: 1,
    says: ['films.csv'],
  }),
  server('a database of Meilisearch', ['--db-path', 'meili.ms'], {
    code: 1,
    says: ['--import-dump', 'migrating.md'],
  }),
  tools('an unknown command of the tools', ['frobnicate'], { code: 2, says: ['--help'] }),
  tools('a misspelt command of the tools', ['db', 'chek'], { code: 2, says: ['check'] }),
  tools('a database that does not exist', ['db', 'check', 'no.ms'], { code: 2, says: ['no.ms'] }),
  tools('a picture in a folder that does not exist', ['db', 'size', '--svg', 'no/size.svg'], {
    code: 2,
    says: ['`no`', 'mkdir -p'],
  }),
  tools('an index that does not exist', ['index', 'explain', 'filmz', 'x'], {
    code: 2,
    says: ['filmz', 'films'],
  }),
  tools(
    'a server that does not run',
    ['remote', 'search', 'films', '--url', 'http://127.0.0.1:1'],
    {
      code: 2,
      says: ['http://127.0.0.1:1', 'does not answer'],
    },
  ),
]
