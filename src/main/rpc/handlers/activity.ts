import type { ActivityLog } from '../../adapters/store/activity.ts';
import type { Handlers } from '../router.ts';

export const activityHandlers = (log: Pick<ActivityLog, 'page'>): Pick<Handlers, 'activity.list'> => ({
  'activity.list': (page) => {
    const { entries, more } = log.page(page);
    return { entries: [...entries], more };
  },
});
