/** The process that the simulator kills: `chaind` itself, with a hand on its steps. */
import "./kill-points.js";
import "../../examples/chain/main.js";
