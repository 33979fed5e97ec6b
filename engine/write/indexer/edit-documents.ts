// Edits documents by a function of the client. Members that the function does not change keep their
// bytes.
import {
  BRACE,
  BRACE_END,
  COLON,
  COMMA,
  encoder,
  equalBytes,
  QUOTE,
} from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { JsonBuffer, Members } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { type CompiledScript, compileScript } from '../../script/index.ts'
import {
  jsonString,
  RUN_MS_MAX,
  readJson,
  ScriptFault,
  ScriptMap,
  ScriptSyntaxError,
  Unread,
  type Value,
  writeJson,
} from '../../script/language/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'
import { PrimaryKey } from '../intake/index.ts'

export type EditingOptions = {
  /** The name of the index in faults. */
  readonly uid: IndexUid
  readonly primaryKey: string | null
  readonly names: FieldNames
  /** The source text of the function. */
  readonly script: string
  /** The value of `context` in the function: the JSON of an object, or null for none. */
  readonly context: string | null
  /** Called regularly while a function runs; throws to stop. */
  readonly pause: () => void
  /** Milliseconds. */
  readonly now: () => number
}

const FAILED = 'Document edition runtime error encountered while'

const CACHED_KEYS_MAX = 1000

export class DocumentEditor {
  readonly #options: EditingOptions
  readonly #script: CompiledScript
  readonly #context: Uint8Array | null
  readonly #key: PrimaryKey | null
  readonly #fields = new RecordFields()
  /** The position of each field by name. */
  readonly #byName = new Map<string, number>()
  readonly #members = new Members()
  readonly #json = new JsonBuffer()
  /** Cached names in JSON form. */
  readonly #keys = new Map<string, Uint8Array>()

  /** Compiles the function. @throws EngineFault for a syntax error */
  constructor(options: EditingOptions) {
    const { uid, script, context, primaryKey } = options
    this.#options = options
    this.#script = compiled(uid, script)
    this.#context = context === null ? null : encoder.encode(context)
    this.#key = primaryKey === null ? null : new PrimaryKey(primaryKey)
  }

  /**
   * Runs the function on a record. Returns the resulting document as JSON (a view until the next
   * call), the record itself if nothing changed, or null to delete the document. @throws
   * EngineFault
   */
  edit(record: Uint8Array, externalId: Uint8Array): Uint8Array | null {
    const fields = this.#fields
    fields.read(record)
    this.#byName.clear()
    const before = new ScriptMap()
    for (let f = 0; f < fields.count; f++) {
      const name = this.#options.names.name(fields.ids[f]!)
      before.set(name, new Unread(fields.value(f), readJson))
      this.#byName.set(name, f)
    }
    const after = this.#run(before)
    if (after === null) return null
    if (!(after instanceof ScriptMap)) {
      throw this.#fault('Document editions must keep documents as objects')
    }
    const json = this.#failing(() => this.#write(after))
    if (json === null) return record
    this.#checkKey(after, json, externalId)
    return json
  }

  #run(document: ScriptMap): Value {
    const { now, pause } = this.#options
    const doc = { name: 'doc', value: document as Value, isConstant: false }
    const variables = [doc]
    if (this.#context !== null) {
      // Each document gets the context as it was sent.
      variables.push({ name: 'context', value: readJson(this.#context), isConstant: true })
    }
    const startedAt = now()
    this.#failing(() =>
      this.#script.run(variables, () => {
        pause()
        if (now() - startedAt <= RUN_MS_MAX) return
        const text = `The function takes longer than ${RUN_MS_MAX / 1000} seconds`
        throw new ScriptFault('ErrorTerminated', text, null)
      }),
    )
    return doc.value
  }

  /** Runs part of an edit. @throws EngineFault for a fault of the script */
  #failing<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof ScriptFault)) throw error
      throw this.#fault(`${FAILED} running the function: ${error.message}`)
    }
  }

  /**
   * Writes the members in name order, so that new fields get their ids in that order. Returns null
   * if the document has not changed.
   */
  #write(document: ScriptMap): Uint8Array | null {
    const names = document.names()
    let isChanged = names.length !== this.#fields.count
    const values = names.map((name) => {
      const { value, isSame } = this.#valueOf(document, name)
      if (!isSame) isChanged = true
      return value
    })
    if (!isChanged) return null
    const json = this.#json
    json.clear()
    json.byte(BRACE)
    for (let i = 0; i < names.length; i++) {
      if (i > 0) json.byte(COMMA)
      const key = this.#keyOf(names[i]!)
      json.append(key, 0, key.length)
      json.byte(COLON)
      json.append(values[i]!, 0, values[i]!.length)
    }
    json.byte(BRACE_END)
    return json.view()
  }

  /** Returns the name in JSON form, from a cache: every document has the same names. */
  #keyOf(name: string): Uint8Array {
    let key = this.#keys.get(name)
    if (key === undefined) {
      if (this.#keys.size === CACHED_KEYS_MAX) this.#keys.clear()
      key = encoder.encode(jsonString(name))
      this.#keys.set(name, key)
    }
    return key
  }

  /** Returns the JSON of a member; a member that was read but not changed keeps its bytes. */
  #valueOf(
    document: ScriptMap,
    name: string,
  ): { readonly value: Uint8Array; readonly isSame: boolean } {
    const member = document.peek(name)
    if (member instanceof Unread) return { value: member.bytes, isSame: true }
    const text = writeJson(member ?? null)
    const field = this.#byName.get(name)
    const before = field === undefined ? null : this.#fields.value(field)
    const isSame = before !== null && writeJson(readJson(before)) === text
    return { value: isSame ? before : encoder.encode(text), isSame }
  }

  #checkKey(document: ScriptMap, json: Uint8Array, externalId: Uint8Array): void {
    const key = this.#key
    // A member that was not read cannot have changed.
    if (key === null || document.peek(key.name) instanceof Unread) return
    const { uid } = this.#options
    this.#members.scan(json, 0)
    let id: Uint8Array
    try {
      id = key.externalId(json, 0, this.#members)
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      throw new EngineFault(error.code, `Index \`${uid}\`: ${error.message}`)
    }
    const field = this.#byName.get(key.name)
    const isText = json[key.valueStart] === QUOTE
    const isAsBefore = field === undefined || (this.#fields.value(field)[0] === QUOTE) === isText
    if (isAsBefore && equalBytes(id, externalId)) return
    throw this.#fault("Document editions cannot modify a document's primary key")
  }

  #fault(sentence: string): EngineFault {
    return new EngineFault(
      'edit_documents_by_function_error',
      `Index \`${this.#options.uid}\`: ${sentence}`,
    )
  }
}

function compiled(uid: IndexUid, script: string): CompiledScript {
  try {
    return compileScript(script)
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error
    throw new EngineFault(
      'edit_documents_by_function_error',
      `Index \`${uid}\`: ${FAILED} compiling the function: ${error.message}`,
    )
  }
}
