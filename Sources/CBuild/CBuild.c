#include "CBuild.h"

const char *quire_commit(void) { return QUIRE_COMMIT; }
