/** The file of rows that are left out, with what is wrong with each. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { Button } from '../button.tsx'
import { fetchPieces } from '../export/plan-export.ts'
import type { StepProps } from './step-props.ts'
import { keepFile } from '../keep-file.ts'

interface ErrorFileProps extends Pick<StepProps, 'task'> {
  file: Schemas['MadeFile']
}

/** Draws the button that fetches it. */
export function ErrorFileButton({ task, file }: ErrorFileProps) {
  const fetchErrors = async (): Promise<void> => {
    try {
      const { signal } = new AbortController()
      keepFile(await fetchPieces(file, signal, () => undefined), file.FileName)
    } catch (thrown) {
      task.fault.value = thrown
    }
  }
  return <Button onClick={() => void fetchErrors()}>{say('importErrorFile')}</Button>
}
