/** Workflows: `/api/v1/svc/workflow` (src/server/README.md, Workflows). */
import { openTaskSweep } from '../../engine/workflow/lost-rights.ts'
import { taskMailJob } from '../../engine/workflow/task-mail.ts'
import { escalationJob, reminderJob, timerJob } from '../../engine/workflow/timer-jobs.ts'
import type { Feature } from '../../server/feature.ts'
import { DEFINITIONS, GRAPHS } from './definition-routes.ts'
import { GERMAN } from './german.ts'
import { INSTANCES } from './instance-routes.ts'
import { LINKS } from './link-routes.ts'
import { TASKS } from './task-routes.ts'

const AREA = {
  name: 'Workflows',
  description:
    'Records on their way through states: who may move them, whose task it is, what happened. ' +
    'Callers who see the record see its instances and tasks.',
}

/** See `Feature`. */
export const workflowFeature: Feature = {
  areas: [AREA],
  routes: [INSTANCES, TASKS, LINKS, DEFINITIONS, GRAPHS],
  translations: { de: GERMAN },
  background: [openTaskSweep],
  jobs: [timerJob, reminderJob, escalationJob, taskMailJob],
}
