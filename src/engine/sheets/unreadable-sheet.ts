/** Why a workbook cannot be read. */
export type SheetFault = 'unreadable' | 'encrypted' | 'bomb' | 'head'

/** A workbook that cannot be read, inside the process that reads it. */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet'
  readonly fault: SheetFault

  constructor(fault: SheetFault) {
    super(fault)
    this.fault = fault
  }
}
