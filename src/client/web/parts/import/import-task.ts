/** One import from its file to its result: what is chosen, checked and done, as signals. */
import { computed, signal } from '@preact/signals'
import { formatNumber, say } from '../../texts/texts.ts'
import { ToldError } from '../../api/told-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions, refreshGrid } from '../../state/grid-rows.ts'
import { Intent } from '../../state/intent.ts'
import { notify } from '../../state/notices.ts'
import { undoImport } from '../../state/undo-import.ts'
import {
  beginImport,
  checkFile,
  type Followed,
  followImport,
  type ImportProgress,
  previewFile,
  stopImport,
} from './import-wire.ts'
import {
  findsRecords,
  type ImportChoice,
  type ImportMode,
  listFields,
  mapColumn,
  type MendedCells,
  planForm,
  proposeNames,
} from './plan-import.ts'

/** The steps in their order. */
export const IMPORT_STEPS = ['file', 'mapping', 'check', 'done'] as const

/** A step of an import. */
export type ImportStep = (typeof IMPORT_STEPS)[number]

/** Bytes as people read them: `1.5 MB`. */
export const formatBytes = (bytes: number): string => {
  const [unit, size] = (
    [
      ['gigabyte', 1024 ** 3],
      ['megabyte', 1024 ** 2],
      ['kilobyte', 1024],
    ] as const
  ).find(([, least]) => bytes >= least) ?? ['byte', 1]
  return formatNumber(bytes / size, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  })
}

/** An import while its dialog is open. */
export class ImportTask {
  readonly metadata: Schemas['MetadataResult']
  readonly step = signal<ImportStep>('file')
  readonly file = signal<File | undefined>(undefined)
  readonly preview = signal<Schemas['ImportPreview'] | undefined>(undefined)
  readonly choice = signal<ImportChoice>({
    mode: 'insert',
    names: [],
    keyFields: [],
    skips: false,
    culture: '',
  })
  readonly cells = signal<MendedCells>(new Map())
  /** The counts of the last check. */
  readonly checked = signal<Schemas['ImportResult'] | undefined>(undefined)
  /** True where cells were mended that no check has seen. */
  readonly isMended = signal(false)
  readonly done = signal<Schemas['ImportResult'] | undefined>(undefined)
  readonly isUndone = signal(false)
  readonly jobId = signal<number | undefined>(undefined)
  readonly progress = signal<ImportProgress | undefined>(undefined)
  readonly isBusy = signal(false)
  readonly fault = signal<unknown>(undefined)
  /** The modes that the caller's rights allow. */
  readonly modes = computed((): ImportMode[] => {
    const { Create, Update } = gridPermissions.value ?? {}
    return [
      ...(Create === true ? (['insert'] as const) : []),
      ...(Update === true ? (['update'] as const) : []),
      ...(Create === true && Update === true ? (['upsert'] as const) : []),
    ]
  })
  readonly #intent = new Intent()
  #running = new AbortController()

  constructor(metadata: Schemas['MetadataResult']) {
    this.metadata = metadata
  }

  /** Takes a file and shows its columns. */
  async open(file: File): Promise<void> {
    const { MaxBytes } = this.metadata.Import
    this.fault.value = undefined
    if (file.size > MaxBytes) {
      const parts = { name: file.name, size: formatBytes(MaxBytes) }
      this.fault.value = new ToldError(say('importTooLarge', parts))
      return
    }
    this.file.value = file
    await this.#load(undefined)
  }

  /** Shows another sheet of the workbook. */
  openSheet = (sheet: string): Promise<void> => this.#load(sheet)

  #load(sheet: string | undefined): Promise<void> {
    return this.#attempt(async (followed) => {
      const file = this.file.value
      if (!file) return
      const preview = await previewFile(this.metadata.Slug, file, sheet, followed)
      const [mode = 'insert'] = this.modes.value
      this.preview.value = preview
      this.choice.value = {
        ...this.choice.value,
        mode,
        names: proposeNames(preview, mode),
        keyFields: [],
      }
      this.#forgetCheck()
      this.cells.value = new Map()
      this.step.value = 'mapping'
    })
  }

  /** Changes what is chosen; it has to be checked anew. */
  choose(more: Partial<ImportChoice>): void {
    this.choice.value = { ...this.choice.value, ...more }
    this.#forgetCheck()
  }

  #forgetCheck(): void {
    this.checked.value = undefined
    this.isMended.value = false
  }

  /** Gives a column a field; null leaves it out. */
  map(column: number, name: string | null): void {
    this.choose({ names: mapColumn(this.choice.value.names, column, name) })
  }

  /** Chooses what becomes of the records; columns that it does not take are left out. */
  setMode(mode: ImportMode): void {
    const preview = this.preview.value
    if (!preview) return
    const proposed = proposeNames(preview, mode)
    const offered = new Set(listFields(preview, mode).map(({ Name }) => Name))
    const names = this.choice.value.names.map((name, at) =>
      name !== null && offered.has(name) ? name : name === null ? (proposed[at] ?? null) : null,
    )
    this.choose({ mode, names: dropDoubles(names) })
  }

  /** The reason why the mapping cannot be checked yet; undefined where it can. */
  get lack(): string | undefined {
    const preview = this.preview.value
    const choice = this.choice.value
    if (!preview || choice.names.every((name) => name === null)) return say('importNothing')
    if (!findsRecords(preview, choice, this.metadata.Keys)) return say('importKeysMissing')
    return undefined
  }

  /** Mends a cell of a line. */
  mend(line: number, column: number, text: string): void {
    const row = new Map(this.cells.value.get(line)).set(column, text)
    this.cells.value = new Map(this.cells.value).set(line, row)
    this.isMended.value = true
  }

  /** Checks the file with what was mended; nothing is written. */
  check(): Promise<void> {
    this.step.value = 'check'
    return this.#attempt(async (followed) => {
      const file = this.file.value
      if (!file) return
      this.checked.value = await checkFile(this.#planForm(), file, followed)
      this.isMended.value = false
    })
  }

  /** Imports the file by a job, and follows it. */
  run(): Promise<void> {
    this.step.value = 'done'
    return this.#attempt(async (followed) => {
      const file = this.file.value
      if (!file) return
      const onError = this.choice.value.skips ? 'skip' : 'abort'
      const jobId = await beginImport(
        { ...this.#planForm(), onError },
        file,
        this.#intent,
        followed,
      )
      this.jobId.value = jobId
      const done = await followImport(jobId, followed)
      this.jobId.value = undefined
      if (!done) {
        notify(say('importStopped'), 'info')
        this.step.value = 'check'
        return
      }
      this.done.value = done
      this.cells.value = new Map()
      refreshGrid()
    }, 'check')
  }

  /** Stops the import that runs. */
  async stop(): Promise<void> {
    const jobId = this.jobId.value
    if (jobId === undefined) return
    try {
      await stopImport(jobId)
    } catch (thrown) {
      this.fault.value = thrown
    }
  }

  /** Takes the import back. */
  undo(importId: string): Promise<void> {
    return this.#attempt(async () => {
      await undoImport(importId, this.#intent)
      this.isUndone.value = true
      notify(say('importUndone'))
      refreshGrid()
    })
  }

  /** Begins again with another file. */
  restart(): void {
    this.file.value = undefined
    this.preview.value = undefined
    this.done.value = undefined
    this.isUndone.value = false
    this.fault.value = undefined
    this.#forgetCheck()
    this.step.value = 'file'
  }

  /** Goes back to an earlier step; what runs is let go. */
  goBack(step: ImportStep): void {
    this.#running.abort()
    this.fault.value = undefined
    this.step.value = step
  }

  /** The dialog closes: what is sent is let go, a job goes on. */
  close(): void {
    this.#running.abort()
    if (this.jobId.value !== undefined) notify(say('importRunning'), 'info')
  }

  #planForm(): Record<string, string> {
    const preview = this.preview.value
    if (!preview) throw new Error('There is no file yet')
    const cells = this.cells.value
    const more = { ...this.choice.value, sheet: preview.Sheet, cells }
    return planForm(this.metadata.Slug, preview, more)
  }

  /** Does one thing at a time; a failure is told, at the step `back` where one is named. */
  async #attempt(work: (followed: Followed) => Promise<void>, back?: ImportStep): Promise<void> {
    if (this.isBusy.value) return
    const running = (this.#running = new AbortController())
    this.isBusy.value = true
    this.fault.value = undefined
    const onProgress = (progress: ImportProgress): void => {
      if (!running.signal.aborted) this.progress.value = progress
    }
    try {
      await work({ signal: running.signal, onProgress })
    } catch (thrown) {
      if (running.signal.aborted) return
      this.fault.value = thrown
      this.jobId.value = undefined
      if (back) this.step.value = back
    } finally {
      this.isBusy.value = false
      this.progress.value = undefined
    }
  }
}

const dropDoubles = (names: readonly (string | null)[]): (string | null)[] =>
  names.map((name, at) => (name !== null && names.indexOf(name) < at ? null : name))
