/** Work of the server that tells by the hub how far it is. */
import { onHub } from '../api/hub.ts'
import { drawKey } from './intent.ts'

/** How far an operation is; no total while it is not known. */
export interface OperationProgress {
  done: number
  total: number | undefined
}

/** Draws the OperationId of a request, and follows it until `end`. */
export function followOperation(onProgress: (progress: OperationProgress) => void): {
  id: string
  end: () => void
} {
  const id = drawKey()
  const end = onHub('progress', (payload) => {
    const told = payload as { OperationId: string; Done: number; Total: number | null }
    if (told.OperationId === id) onProgress({ done: told.Done, total: told.Total ?? undefined })
  })
  return { id, end }
}
