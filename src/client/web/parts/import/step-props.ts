/** The parts that each step of an import gets. */
import type { ImportTask } from './import-task.ts'

/** Props of a step. */
export interface StepProps {
  task: ImportTask
  /** Closes the dialog, where nothing typed would be lost. */
  onClose(): void
}
