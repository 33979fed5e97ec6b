// The dialog that adds a file of documents to an existing or new index and follows the task.
import {
  bytesText,
  field,
  fill,
  h,
  INDEX_NAME,
  isAbort,
  plural,
  ServerError,
  type Site,
  type Task,
  textField,
} from '../parts/index.ts'
import { TaskProgress } from './task-progress.ts'
import { fileType, sendFile, type Upload } from './upload.ts'

const ENDINGS = '.json,.ndjson,.jsonl,.csv,.gz'
const WRONG_FILE =
  'The name of the file must end in .json, .ndjson, .jsonl or .csv, or in .gz after that.'

export class UploadDialog {
  readonly dialog: HTMLDialogElement
  readonly #site: Site
  readonly #index = textField({ ...INDEX_NAME, list: 'upload-indexes' })
  readonly #indexes = h('datalist', { id: 'upload-indexes' })
  readonly #file = h('input', {
    type: 'file',
    required: true,
    accept: ENDINGS,
    onchange: () => this.#showType(),
  })
  readonly #mode = h(
    'select',
    {},
    h('option', { value: '' }, 'Replace the whole document'),
    h('option', { value: 'update' }, 'Change only the fields in the file'),
  )
  readonly #primaryKey = textField({ placeholder: 'found automatically' })
  readonly #delimiter = textField({ placeholder: ', (comma)' })
  readonly #delimiterField = field('Delimiter of the CSV file', this.#delimiter)
  readonly #error = h('p', { class: 'refusal', role: 'alert', hidden: true })
  readonly #sent = h('div', { class: 'upload-sent', role: 'status' })
  readonly #progress = new TaskProgress()
  readonly #submit = h('button', { class: 'primary', type: 'submit' }, 'Upload')
  readonly #form: HTMLFormElement
  #abort = new AbortController()

  constructor(site: Site) {
    this.#site = site
    this.#form = this.#makeForm()
    this.dialog = h(
      'dialog',
      { 'aria-labelledby': 'upload-heading', onclose: () => this.#abort.abort() },
      h('h2', { id: 'upload-heading' }, 'Add documents'),
      this.#form,
    )
    this.#delimiterField.hidden = true
  }

  /** Opens the dialog. `index`: the suggested index. */
  open(index: string): void {
    this.#form.reset()
    this.#index.value = index
    fill(
      this.#indexes,
      this.#site.indexes.map(({ uid }) => h('option', { value: uid })),
    )
    this.#error.hidden = true
    fill(this.#sent)
    this.#progress.clear()
    this.#setBusy(false)
    this.#showType()
    this.dialog.showModal()
    if (index !== '') this.#file.focus()
  }

  #makeForm(): HTMLFormElement {
    return h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault()
          this.#start()
        },
      },
      field('Index (a new name creates an index)', this.#index),
      this.#indexes,
      field('File: JSON, NDJSON or CSV, optionally compressed with gzip', this.#file),
      this.#delimiterField,
      field('Documents that exist already', this.#mode),
      field('Primary key', this.#primaryKey),
      this.#error,
      this.#sent,
      this.#progress.element,
      h(
        'div',
        { class: 'buttons' },
        h(
          'button',
          { class: 'quiet', type: 'button', onclick: () => this.dialog.close() },
          'Close',
        ),
        this.#submit,
      ),
    )
  }

  #showType(): void {
    const name = this.#file.files?.[0]?.name ?? ''
    this.#delimiterField.hidden = fileType(name)?.type !== 'text/csv'
  }

  #start(): void {
    this.#abort = new AbortController()
    this.#error.hidden = true
    fill(this.#sent)
    this.#progress.clear()
    this.#setBusy(true)
    this.#upload(this.#abort.signal)
      .catch((error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        this.#refuse(error.message)
      })
      .finally(() => this.#setBusy(false))
  }

  async #upload(signal: AbortSignal): Promise<void> {
    const file = this.#file.files?.[0]
    const type = fileType(file?.name ?? '')
    if (file === undefined || type === null) {
      this.#refuse(WRONG_FILE)
      return
    }
    const upload: Upload = {
      index: this.#index.value.trim(),
      file,
      primaryKey: this.#primaryKey.value.trim(),
      isUpdate: this.#mode.value === 'update',
      csvDelimiter: this.#delimiter.value,
    }
    const taskUid = await sendFile(upload, type, (bytes) => this.#showSent(bytes, file), signal)
    this.#showSent(file.size, file)
    const task = await this.#progress.follow(taskUid, signal)
    if (task !== null) this.#finish(task, upload.index)
    this.#site.retry()
  }

  #showSent(sentBytes: number, { size }: File): void {
    const bytes = Math.min(sentBytes, size)
    const bar = h('progress', { max: Math.max(1, size), value: bytes, 'aria-label': 'Sent' })
    fill(this.#sent, bar, `${bytesText(bytes)} of ${bytesText(size)} sent`)
  }

  #finish({ status, error, details }: Task, index: string): void {
    if (status !== 'succeeded') {
      this.#refuse(error?.message ?? `The task was ${status}.`)
      return
    }
    const { indexedDocuments } = details as { readonly indexedDocuments?: number }
    const link = h('a', { href: `#/search?${new URLSearchParams({ index })}` }, `Search ${index}`)
    link.addEventListener('click', () => this.dialog.close())
    fill(this.#sent, h('p', {}, `${plural(indexedDocuments ?? 0, 'document')} indexed. `, link))
  }

  #refuse(message: string): void {
    fill(this.#error, message)
    this.#error.hidden = false
  }

  #setBusy(isBusy: boolean): void {
    this.#submit.disabled = isBusy
  }
}
