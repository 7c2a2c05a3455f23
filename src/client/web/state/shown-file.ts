/** The file that is shown over the place: one of the server, or one that was just chosen. */
import { signal } from '@preact/signals'

/** A file to be shown; `load` makes it where it is not there yet, and tells how far it is. */
export interface ShownFile {
  name: string
  load: (told: { signal: AbortSignal; onProgress(share: number): void }) => Promise<Blob>
}

/** The file whose dialog is open. */
export const shownFile = signal<ShownFile | undefined>(undefined)
