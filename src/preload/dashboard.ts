import { exposeBridge } from './expose-bridge.ts';
import { DASHBOARD_ROUTES } from './routes.ts';

exposeBridge(DASHBOARD_ROUTES);
