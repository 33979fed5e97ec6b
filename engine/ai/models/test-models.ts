// A cache folder of the model hub for tests, and a tokenizer of a few words.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Values are written as JSON, buffers unchanged; null means that the file is missing. */
export type Files = { readonly [name: string]: unknown }

export const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'red', 'car', 'sea']

const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
const named = (id: string, number: number) => ({ id, ids: [number], tokens: [id] })
export const TOKENIZER = {
  version: '1.0',
  added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: WORDS[id], special: true })),
  normalizer: { type: 'BertNormalizer', lowercase: true, clean_text: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
    pair: [],
    special_tokens: { '[CLS]': named('[CLS]', 2), '[SEP]': named('[SEP]', 3) },
  },
  decoder: { type: 'WordPiece', prefix: '##' },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    vocab: Object.fromEntries(WORDS.map((word, i) => [word, i])),
  },
}

export class ModelHome {
  readonly path = mkdtempSync(join(tmpdir(), 'models-'))
  #models = 0

  /** Writes a model and returns its name. */
  install(files: Files): string {
    const name = `org/model-${this.#models++}`
    const folder = join(this.path, 'hub', `models--${name.replace('/', '--')}`)
    const write = (path: string, value: unknown): void => {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, value instanceof Buffer ? value : JSON.stringify(value))
    }
    write('refs/main', Buffer.from('abc123\n'))
    for (const [path, value] of Object.entries(files)) {
      if (value !== null) write(`snapshots/abc123/${path}`, value)
    }
    return name
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
