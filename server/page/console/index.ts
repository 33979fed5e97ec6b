// The console of the preview page: search requests as JSON, one or two side by side.
export { ConsoleView } from './console-view.ts'
