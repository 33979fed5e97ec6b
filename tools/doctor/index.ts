// Examines a machine: can a server run there, and at which cost?
export { examine, thisMachine } from './doctor.ts'
export { doctorText } from './doctor-text.ts'
