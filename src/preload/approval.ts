import { exposeBridge } from './expose-bridge.ts';
import { APPROVAL_ROUTES } from './routes.ts';

exposeBridge(APPROVAL_ROUTES);
