// The streams of tasks and batches of an engine, in the form of their own routes.
import { batchView, type Engine } from '../../../engine/index.ts'
import { connectionsMax } from '../../http/index.ts'
import { EventStreams } from '../../streams/index.ts'
import { taskOf } from './views.ts'

export const taskStreams = ({ tasks, administration }: Engine): EventStreams =>
  new EventStreams({
    tasks,
    show: (event) => (event.kind === 'task' ? taskOf(event.task) : batchView(event.batch)),
    isOn: () => administration.features.tasksStreamingRoute,
    connectionsMax: connectionsMax(),
  })
