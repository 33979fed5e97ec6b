// A task in the list: a line that unfolds to show its times, its batch, its error and its details.
import {
  agoText,
  ask,
  type Child,
  camelText,
  durationText,
  firstLine,
  h,
  isFinished,
  isReadOnly,
  momentText,
  ServerError,
  type Task,
  waitText,
} from '../parts/index.ts'

export function taskRow(
  task: Task,
  isOpen: boolean,
  onToggle: (isOpen: boolean) => void,
): HTMLElement {
  const { uid, status, type, indexUid, duration, enqueuedAt, error } = task
  const more = h(
    'details',
    { open: isOpen, ontoggle: () => onToggle(more.open) },
    h(
      'summary',
      { 'data-focus': `task ${uid}` },
      h('span', { class: 'task-uid' }, `#${uid}`),
      h('span', { class: `pill is-${status}` }, status),
      h('span', { class: 'task-type' }, camelText(type)),
      h('span', { class: 'task-index' }, indexUid ?? 'all indexes'),
      h('span', { class: 'task-time' }, durationText(duration) || '–'),
      h('span', { class: 'task-time' }, agoText(enqueuedAt, Date.now())),
      error === null ? null : h('span', { class: 'task-error' }, firstLine(error.message)),
    ),
    detail(task),
  )
  return h('li', {}, more)
}

function detail(task: Task): HTMLElement {
  const { uid, error, details } = task
  return h(
    'div',
    { class: 'task-detail' },
    error === null
      ? null
      : h(
          'p',
          { class: 'refusal' },
          error.message,
          ' ',
          h(
            'a',
            { href: error.link, target: '_blank', rel: 'noreferrer' },
            h('code', {}, error.code),
          ),
        ),
    h('dl', { class: 'members' }, [
      moment('enqueued', task.enqueuedAt),
      moment('started', task.startedAt),
      moment('finished', task.finishedAt),
      row('waited', waitText(task)),
      row('took', durationText(task.duration)),
      task.batchUid === null
        ? null
        : row(
            'batch',
            h('a', { href: `#/tasks?batch=${task.batchUid}` }, `batch #${task.batchUid}`),
          ),
      task.canceledBy === null
        ? null
        : row(
            'canceled by',
            h('a', { href: `#/tasks?task=${task.canceledBy}` }, `task #${task.canceledBy}`),
          ),
      row('link', h('a', { href: `#/tasks?task=${uid}` }, `link to task #${uid}`)),
    ]),
    h('pre', { tabindex: '0' }, JSON.stringify(details ?? {}, null, 2)),
    isFinished(task) || isReadOnly() ? null : cancelButton(uid),
  )
}

const row = (name: string, value: Child): HTMLElement | null =>
  value === '' ? null : h('div', {}, h('dt', {}, name), h('dd', {}, value))

const moment = (name: string, date: string | null): HTMLElement | null =>
  row(name, date === null ? '' : h('time', { datetime: date, title: date }, momentText(date)))

/**
 * Returns a button that enqueues a task to cancel this one, and shows the outcome beside the
 * button.
 */
function cancelButton(uid: number): HTMLElement {
  const answer = h('span', { class: 'muted', role: 'status' })
  const cancel = (): void => {
    button.disabled = true
    ask<{ readonly taskUid: number }>('POST', `/tasks/cancel?uids=${uid}`).then(
      ({ taskUid }) => {
        answer.textContent = `Requested as task #${taskUid}`
      },
      (error: unknown) => {
        if (!(error instanceof ServerError)) throw error
        button.disabled = false
        answer.textContent = error.message
      },
    )
  }
  const button = h(
    'button',
    { class: 'bordered', type: 'button', 'data-focus': `cancel ${uid}`, onclick: cancel },
    'Cancel this task',
  )
  return h('p', { class: 'task-actions' }, button, ' ', answer)
}
