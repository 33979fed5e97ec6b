// The fenced blocks of a page, with the directives for the test that follow their language:
//
//   ```sh                            runs in bash against a server of the test
//   ```sh not-run: REASON            does not run; its svc-… lines are parsed only
//   ```sh run-by: FILE               runs in another test, which names this page
//   ```sh fails: REASON              one of its requests or tasks is expected to fail
//   ```json PATCH /indexes/x         is sent as the body of this request
//   ```json setting embedders        is read as a change of this setting, and not sent
//   ```json answer                   is compared with the answer to the previous request
//   ```json file=films.ndjson        is written to a file for later blocks
//   ```js, ```python, ```php         runs as a program, where its interpreter is installed
//   ```text output                   equals the output of the commands before it

export type Directive =
  | { readonly kind: 'run' }
  | { readonly kind: 'notRun'; readonly reason: string }
  | { readonly kind: 'runBy'; readonly file: string }
  | { readonly kind: 'fails'; readonly reason: string }
  | { readonly kind: 'send'; readonly method: string; readonly path: string }
  | { readonly kind: 'setting'; readonly name: string }
  | { readonly kind: 'answer' }
  | { readonly kind: 'output' }
  | { readonly kind: 'file'; readonly name: string }

export type Block = {
  /** Line number of the opening fence, from 1. */
  readonly line: number
  /** Empty for a diagram or a text that is not an example. */
  readonly language: string
  readonly directive: Directive
  readonly text: string
}

const FENCE = /^( *)```(\S*)(?: (.+))?\n([\s\S]*?)\n?^\1```$/gm

/** Returns the page without its fenced blocks. */
export const withoutBlocks = (page: string): string => page.replaceAll(FENCE, '')

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCE)].map((match) => {
    const [, indent = '', language = '', words = '', text = ''] = match
    const line = page.slice(0, match.index).split('\n').length
    const plain = indent === '' ? text : text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return { line, language, directive: directiveOf(words.trim(), line), text: plain }
  })
}

function directiveOf(words: string, line: number): Directive {
  if (words === '') return { kind: 'run' }
  if (words === 'answer' || words === 'output') return { kind: words }
  const named = /^(not-run|run-by|fails): (\S.*)$/.exec(words)
  if (named !== null) {
    const [, name, rest = ''] = named
    if (name === 'run-by') return { kind: 'runBy', file: rest }
    return { kind: name === 'fails' ? 'fails' : 'notRun', reason: rest }
  }
  const request = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(words)
  if (request !== null) return { kind: 'send', method: request[1]!, path: request[2]! }
  const setting = /^setting (\w+)$/.exec(words)
  if (setting !== null) return { kind: 'setting', name: setting[1]! }
  const file = /^file=(\S+)$/.exec(words)
  if (file !== null) return { kind: 'file', name: file[1]! }
  throw new Error(`line ${line}: a block cannot be read: ${words}`)
}
