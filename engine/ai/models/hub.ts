// Finds the files of a model in the cache of the model hub, whose layout all its tools share.
//
//   hub/models--{organisation}--{name}/refs/{revision}      names a commit
//   hub/models--{organisation}--{name}/snapshots/{commit}/  the files
import { type FileSystem, readFile } from '../../store/storage/index.ts'
import { JSON_BYTES_MAX, REF_BYTES_MAX } from './limits.ts'
import { ModelFault } from './model-fault.ts'

export type ModelFiles = {
  readonly fs: FileSystem
  /** The folder with the files. */
  readonly folder: string
}

/** `home`: the folder that holds `hub`. @throws ModelFault, StorageError */
export function findModel(home: FileSystem, model: string, revision: string | null): ModelFiles {
  const folder = `hub/models--${model.replaceAll('/', '--')}`
  const wanted = revision ?? 'main'
  if (![...model.split('/'), ...wanted.split('/')].every(isPlainName)) {
    throw new ModelFault(`\`${model}\` at \`${wanted}\` names no model`)
  }
  const ref = `${folder}/refs/${wanted}`
  const commit = home.exists(ref)
    ? Buffer.from(readFile(home, ref, REF_BYTES_MAX))
        .toString()
        .trim()
    : wanted
  const snapshot = `${folder}/snapshots/${commit}`
  if (!isPlainName(commit) || !home.isFolder(snapshot)) {
    throw new ModelFault(
      `the model \`${model}\` at revision \`${wanted}\` is not on this machine. Models are not ` +
        'downloaded: put its files into the cache of the hub (`HF_HOME`, else ' +
        '`~/.cache/huggingface`), for example with `hf download`',
    )
  }
  return { fs: home, folder: snapshot }
}

/** Returns true if a text from outside can be part of a path. */
const isPlainName = (text: string): boolean => /^[\w.-]{1,200}$/.test(text) && !/^\.+$/.test(text)

/** Reads a JSON file of a model; returns null if it is missing. @throws ModelFault, StorageError */
export function readJson({ fs, folder }: ModelFiles, name: string): unknown {
  const path = `${folder}/${name}`
  if (!fs.exists(path)) return null
  try {
    return JSON.parse(Buffer.from(readFile(fs, path, JSON_BYTES_MAX)).toString())
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ModelFault(`\`${name}\` is not JSON: ${error.message}`)
  }
}
