/** The parts of the verification: a data table. */
import { verifyBackups } from './backups.ts'
import { verifyClient } from './client-places.ts'
import { verifyClocks } from './clocks.ts'
import { verifyCrashes } from './crash.ts'
import { verifyDamage } from './damage.ts'
import { verifyDeploys, verifyRollbacks } from './deploy.ts'
import { verifyFullDisks } from './disk-full.ts'
import { verifyDocuments } from './documents.ts'
import { verifyDrains } from './drain.ts'
import { verifyFirstStarts } from './first-start.ts'
import { verifyFolderFaults } from './folder-faults.ts'
import { verifyHubs } from './hubs.ts'
import { verifyJobs } from './jobs.ts'
import { verifyMasses } from './masses.ts'
import { verifyMatrices } from './matrices.ts'
import { verifyModelChanges } from './model-changes.ts'
import { verifyOverload } from './overload.ts'
import { verifyPowerLosses } from './power-loss.ts'
import { verifyReadFaults } from './read-faults.ts'
import { verifyReadiness } from './readiness.ts'
import type { Bench, Report } from './report.ts'
import { verifySecondProcesses } from './second-process.ts'
import { verifyUpgrades } from './upgrades.ts'
import { verifyWorkflows } from './workflows.ts'
import { verifyWorlds } from './worlds.ts'

/** One kind of fault. */
export interface Part {
  run: (bench: Bench) => Promise<Report>
  /** Rounds for a round of the crashes. */
  share: number
}

/** Every kind, by the name that `--only` takes. */
export const PARTS: Readonly<Record<string, Part>> = {
  crashes: { run: verifyCrashes, share: 1 },
  deploys: { run: verifyDeploys, share: 0.2 },
  rollbacks: { run: verifyRollbacks, share: 0.2 },
  changes: { run: verifyModelChanges, share: 0.1 },
  documents: { run: verifyDocuments, share: 2.5 },
  jobs: { run: verifyJobs, share: 0.2 },
  hubs: { run: verifyHubs, share: 0.2 },
  starts: { run: verifyFirstStarts, share: 0.1 },
  stops: { run: verifyDrains, share: 0.1 },
  rivals: { run: verifySecondProcesses, share: 0.05 },
  disk: { run: verifyFullDisks, share: 0.05 },
  reads: { run: verifyReadFaults, share: 0.3 },
  folders: { run: verifyFolderFaults, share: 0.2 },
  readiness: { run: verifyReadiness, share: 0.02 },
  overload: { run: verifyOverload, share: 0.05 },
  power: { run: verifyPowerLosses, share: 1 },
  damage: { run: verifyDamage, share: 0.03 },
  workflows: { run: verifyWorkflows, share: 0.1 },
  clocks: { run: verifyClocks, share: 0.1 },
  worlds: { run: verifyWorlds, share: 0.25 },
  masses: { run: verifyMasses, share: 0.025 },
  matrices: { run: verifyMatrices, share: 0.5 },
  backups: { run: verifyBackups, share: 1 },
  upgrades: { run: verifyUpgrades, share: 1 },
  client: { run: verifyClient, share: 0.025 },
}
